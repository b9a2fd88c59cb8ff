import type { Bus, Following, Shard, SharedChange } from '../../bus/bus.ts';
import { BusError } from '../../bus/bus-error.ts';
import type { Time } from '../../bus/time.ts';
import { StoreError } from '../../errors.ts';
import { decodeRegistration, type ShardRegistration } from '../entries/shard-registration.ts';
import type { CacheDisk } from './cache-disk.ts';
import { openCacheFolders } from './cache-folders.ts';
import { loadSnapshot } from './load-snapshot.ts';
import { openShardCache, type ShardCache } from './shard-cache.ts';

const LOOK_AGAIN_MS = 500;

/** A shard whose values and frames are here, as of some place of its stream. */
export interface FollowedShard {
  readonly name: string;
  readonly registration: ShardRegistration;
  readonly cache: ShardCache;
  /** How far it is; it has ended while the cache is being replaced. */
  readonly following: Following;
}

/** All shards of a cluster, as an edge follows them. */
export interface EdgeShards {
  /** Those that can be served, the one that was registered first in front. */
  list(): readonly FollowedShard[];
  /** Those that are registered and cannot be served yet, with the reason. */
  waiting(): ReadonlyMap<string, string>;
  /** Rejects when the cluster that this process has joined is there no more. */
  readonly ended: Promise<void>;
  /** Resolves when all caches are closed. */
  stop(): Promise<void>;
}

interface EdgeShardsDeps {
  readonly bus: Bus;
  /** Of all caches. */
  readonly folder: string;
  readonly disk: CacheDisk;
  /** Gives no id twice. */
  readonly newId: () => string;
  readonly time: Time;
  /** Serves what `list` gives from now on; caches that are not in it any more are closed when it resolves. */
  readonly onChange: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface Keeping {
  registration: ShardRegistration;
  followed: Omit<FollowedShard, 'name' | 'registration'> | undefined;
  /** Why it is not followed. */
  reason: string;
  readonly stopping: AbortController;
  /** Whether the cache is ahead of its stream, which has lost its end. */
  isAhead: boolean;
  done: Promise<void>;
}

/** Finds the shards of the cluster, also those that come later, and follows each. */
export function openEdgeShards(deps: EdgeShardsDeps): EdgeShards {
  const { bus, time, report } = deps;
  const folders = openCacheFolders({ ...deps, epoch: bus.epoch });
  const kept = new Map<string, Keeping>();
  let isStopped = false;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((_, reject) => {
    fail = reject;
  });
  // Whoever opened this may look later.
  ended.catch(() => undefined);
  /** One change at a time. */
  let changing: Promise<void> = Promise.resolve();

  function changed(): Promise<void> {
    changing = changing.then(() => (isStopped ? undefined : deps.onChange())).catch(report);
    return changing;
  }

  async function discard(cache: ShardCache): Promise<void> {
    await cache.close();
    await folders.remove(cache.store);
  }

  /** Undefined when it was stopped. */
  async function openStream(name: string, keeping: Keeping): Promise<Shard | undefined> {
    const { signal } = keeping.stopping;
    while (!signal.aborted) {
      try {
        return await bus.shard(name);
      } catch (error) {
        if (!(error instanceof BusError) || error.code !== 'BUS_EMPTY') throw error;
        keeping.reason = 'its engine has not made its stream yet';
        await time.pause(LOOK_AGAIN_MS, signal);
      }
    }
    return undefined;
  }

  /** A cache from the newest snapshot, once there is one that the stream goes on from. Undefined when it was stopped. */
  async function fill(name: string, shard: Shard, keeping: Keeping): Promise<ShardCache | undefined> {
    const { signal } = keeping.stopping;
    while (!signal.aborted) {
      const snapshot = await bus.snapshots.newest(name);
      const { first } = await shard.ends();
      if (snapshot === undefined || snapshot.place + 1 < first) {
        keeping.reason =
          snapshot === undefined
            ? 'no engine has made a snapshot of it yet'
            : 'its newest snapshot is older than what the bus keeps; a new one is awaited';
        await time.pause(LOOK_AGAIN_MS, signal);
        continue;
      }
      const store = await folders.create(name);
      try {
        await store.outputs.prepare();
        await loadSnapshot(store, snapshot, bus.epoch);
        return await openShardCache({ store, epoch: bus.epoch, mono: time.mono, report });
      } catch (error) {
        await store.close();
        await folders.remove(store);
        throw error;
      }
    }
    return undefined;
  }

  async function openOwn(name: string): Promise<ShardCache | undefined> {
    const store = await folders.newest(name);
    if (store === undefined) return undefined;
    try {
      return await openShardCache({ store, epoch: bus.epoch, mono: time.mono, report });
    } catch (error) {
      report(error);
      await store.close();
      await folders.remove(store);
      return undefined;
    }
  }

  async function keep(name: string, keeping: Keeping): Promise<void> {
    const { signal } = keeping.stopping;
    let cache = await openOwn(name);
    let replaced: ShardCache | undefined;
    for (;;) {
      const shard = await openStream(name, keeping);
      cache ??= shard && (await fill(name, shard, keeping));
      if (shard === undefined || cache === undefined) break;
      const following = shard.follow(cache.place, cache.apply);
      const stop = () => void following.stop();
      signal.addEventListener('abort', stop, { once: true });
      keeping.followed = { cache, following };
      await changed();
      if (replaced !== undefined) await discard(replaced);
      replaced = undefined;
      if (signal.aborted) stop();
      try {
        await following.ended;
        break;
      } catch (error) {
        keeping.isAhead = error instanceof BusError && error.code === 'BUS_TAIL_LOST';
        if (!isCacheLost(error)) throw error;
        report(error);
        // It is served until there is another one.
        replaced = cache;
        cache = undefined;
      }
    }
    if (replaced !== undefined) await discard(replaced);
  }

  function add(name: string, registration: ShardRegistration): void {
    const keeping: Keeping = {
      registration,
      followed: undefined,
      reason: 'it is being loaded',
      stopping: new AbortController(),
      isAhead: false,
      done: Promise.resolve(),
    };
    kept.set(name, keeping);
    keeping.done = keep(name, keeping).catch(fail);
  }

  async function remove(name: string): Promise<void> {
    const keeping = kept.get(name);
    if (keeping === undefined) return;
    kept.delete(name);
    keeping.stopping.abort();
    await keeping.done;
    await changed();
    if (keeping.followed !== undefined) await discard(keeping.followed.cache);
  }

  function applyChange(change: SharedChange): void {
    if (isStopped) return;
    if (change.type === 'removed') {
      remove(change.name).catch(report);
      return;
    }
    const { name, bytes } = change.value;
    const registration = decodeRegistration(bytes);
    const known = kept.get(name);
    if (known === undefined) {
      add(name, registration);
      return;
    }
    const isSame = JSON.stringify(known.registration) === JSON.stringify(registration);
    if (isSame) return;
    known.registration = registration;
    if (known.followed !== undefined) void changed();
  }

  const watching = bus.shared('shards').watch(applyChange);
  watching.ended.catch(fail);

  return {
    list: () =>
      Array.from(
        kept,
        ([name, { registration, followed }]) => followed && { name, registration, ...followed },
      )
        .filter((shard) => shard !== undefined)
        .sort(byAge),
    waiting: () =>
      new Map(
        Array.from(kept)
          .filter(([, { followed }]) => followed === undefined)
          .map(([name, { reason }]) => [name, reason]),
      ),
    ended,
    async stop() {
      isStopped = true;
      await watching.stop();
      for (const { stopping } of kept.values()) stopping.abort();
      for (const keeping of kept.values()) {
        await keeping.done;
        const { followed, isAhead } = keeping;
        if (followed !== undefined) await (isAhead ? discard(followed.cache) : followed.cache.close());
      }
    },
  };
}

/** Whether only the cache is of no use any more: a new one can be filled. */
function isCacheLost(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'STORE_CORRUPT';
  return error instanceof BusError && error.code === 'BUS_BEHIND_TAIL';
}

function byAge(a: FollowedShard, b: FollowedShard): number {
  return a.registration.since - b.registration.since || (a.name < b.name ? -1 : 1);
}
