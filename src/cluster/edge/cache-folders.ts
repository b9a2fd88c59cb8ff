import { join } from 'node:path';
import type { Store } from '../../store/store.ts';
import type { CacheDisk } from './cache-disk.ts';
import { placeOf } from './cache-notes.ts';

/** Where the caches of shards lie: each in a folder of its own, so that a new one can be filled beside it. */
interface CacheFolders {
  /** The cache of a shard that was filled in this cluster and is furthest; what else there is of the shard is removed. */
  newest(shard: string): Promise<Store | undefined>;
  /** An empty one. */
  create(shard: string): Promise<Store>;
  /** Removes that of a store that was closed. */
  remove(store: Store): Promise<void>;
}

/** Cannot be part of the name of a shard. */
const AFTER_NAME = '@';

interface CacheFoldersDeps {
  readonly disk: CacheDisk;
  readonly folder: string;
  /** Of the cluster. */
  readonly epoch: string;
  /** Gives no id twice. */
  readonly newId: () => string;
  readonly report: (error: unknown) => void;
}

export function openCacheFolders({ disk, folder, epoch, newId, report }: CacheFoldersDeps): CacheFolders {
  const paths = new Map<Store, string>();

  async function open(path: string): Promise<Store> {
    const store = await disk.open(path);
    paths.set(store, path);
    return store;
  }

  async function remove(store: Store): Promise<void> {
    const path = paths.get(store);
    paths.delete(store);
    if (path !== undefined) await disk.remove(path);
  }

  /** Undefined, and removed, unless it was filled in this cluster. A cache that is damaged is worth nothing. */
  async function filled(path: string): Promise<Store | undefined> {
    try {
      const store = await open(path);
      if (placeOf(store.notes)?.epoch === epoch) return store;
      await store.close();
      await remove(store);
    } catch (error) {
      report(error);
      await disk.remove(path);
    }
    return undefined;
  }

  return {
    async newest(shard) {
      const names = await disk.list(folder);
      const own = names
        .filter((name) => name.startsWith(shard + AFTER_NAME))
        .map((name) => join(folder, name));
      let best: Store | undefined;
      for (const path of own) {
        const found = await filled(path);
        if (found === undefined) continue;
        const isFurther = best === undefined || furtherThan(found, best);
        const other = isFurther ? best : found;
        if (isFurther) best = found;
        if (other === undefined) continue;
        await other.close();
        await remove(other);
      }
      return best;
    },
    create: (shard) => open(join(folder, `${shard}${AFTER_NAME}${newId()}`)),
    remove,
  };
}

function furtherThan({ notes }: Store, other: Store): boolean {
  return (placeOf(notes)?.place ?? 0) > (placeOf(other.notes)?.place ?? 0);
}
