import { readdir, rm } from 'node:fs/promises';
import { openStore } from '../../store/lmdb/open-store.ts';
import type { Store } from '../../store/store.ts';

/** Stores in folders by their paths. */
export interface CacheDisk {
  /** Names in a folder; none where there is no folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes it where it is missing. */
  open(path: string): Promise<Store>;
  /** Also where there is none. */
  remove(path: string): Promise<void>;
}

export const cacheDisk: CacheDisk = {
  list: (folder) => readdir(folder).catch(() => []),
  open: (path) => openStore(path),
  remove: (path) => rm(path, { recursive: true, force: true }),
};
