import { hash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import type { KeptKey, Keys } from '../../store/store.ts';
import type { Tier } from '../tiers.ts';
import type { Holder, KnownKeys } from './key-lookup.ts';
import { isWellFormed, mintId, mintKey } from './key-text.ts';

/** A key as it may be shown: without the key itself and without its hash. */
type ShownKey = Omit<KeptKey, 'hash'>;

interface NewKey {
  readonly tier: Tier;
  readonly name: string;
  /** Requests per hour; null for the tier's own limit. */
  readonly limit: number | null;
}

/** A new key. This is the only time it is shown. */
export interface IssuedKey {
  readonly key: string;
  readonly shown: ShownKey;
}

/** All keys of a store. One registry per store. */
export interface KeyRegistry extends KnownKeys {
  create(wanted: NewKey): Promise<IssuedKey>;
  /** Oldest first. */
  list(): readonly ShownKey[];
  /** The key is refused from now on. Rejects for an unknown id; revoking twice is fine. */
  revoke(id: string): Promise<ShownKey>;
  /** A new key like the old one, which stays valid unless `revokesOld`. */
  rotate(id: string, revokesOld: boolean): Promise<IssuedKey>;
  /** Stores the times of last use that changed. */
  flush(): Promise<void>;
}

interface Entry extends Holder {
  readonly digest: Buffer;
  stored: KeptKey;
}

/** Keys used lately, as they were sent: finding one here costs far less than a hash. */
const MAX_REMEMBERED = 10_000;

/** `now` is UTC ms. */
export function openKeyRegistry(store: Keys, now: () => number): KeyRegistry {
  const byId = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const remembered = new LRUCache<string, Entry>({ max: MAX_REMEMBERED });

  function register(stored: KeptKey): Entry {
    const { id, tier, limit, lastUsedAt } = stored;
    const entry = { id, tier, limit, lastUsedAt, stored, digest: Buffer.from(stored.hash, 'hex') };
    byId.set(id, entry);
    byHash.set(stored.hash, entry);
    return entry;
  }
  for (const stored of store.all()) register(stored);

  function entryOf(id: string): Entry {
    const entry = byId.get(id);
    if (entry === undefined) throw new ServiceError('KEY_UNKNOWN', `there is no key with the id ${id}`);
    return entry;
  }

  function freeId(): string {
    const id = mintId();
    return byId.has(id) ? freeId() : id;
  }

  async function create({ tier, name, limit }: NewKey): Promise<IssuedKey> {
    const key = mintKey(tier);
    const stored: KeptKey = {
      id: freeId(),
      hash: hash('sha256', key),
      tier,
      name,
      limit,
      createdAt: now(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await store.put([stored]);
    return { key, shown: shownOf(register(stored)) };
  }

  async function revoke(id: string): Promise<ShownKey> {
    const entry = entryOf(id);
    // Set before it is on disk, so that with a full disk the key is refused at least while this process lives.
    entry.stored = { ...entry.stored, revokedAt: entry.stored.revokedAt ?? now() };
    remembered.clear();
    await store.put([entry.stored]);
    return shownOf(entry);
  }

  return {
    find(key) {
      const seen = remembered.get(key);
      if (seen !== undefined) return seen;
      if (!isWellFormed(key)) return undefined;
      const digest = hash('sha256', key, 'buffer');
      const entry = byHash.get(digest.toString('hex'));
      if (entry === undefined || entry.stored.revokedAt !== null) return undefined;
      if (!timingSafeEqual(digest, entry.digest)) return undefined;
      remembered.set(key, entry);
      return entry;
    },
    tierOf: (id) => byId.get(id)?.tier,
    create,
    list: () =>
      Array.from(byId.values(), shownOf).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    revoke,
    async rotate(id, revokesOld) {
      const { stored } = entryOf(id);
      if (stored.revokedAt !== null)
        throw new ServiceError('KEY_REVOKED', `the key ${id} is revoked already`);
      const issued = await create(stored);
      if (revokesOld) await revoke(id);
      return issued;
    },
    async flush() {
      const changed = [...byId.values()].filter((entry) => entry.lastUsedAt !== entry.stored.lastUsedAt);
      if (changed.length === 0) return;
      for (const entry of changed) entry.stored = { ...entry.stored, lastUsedAt: entry.lastUsedAt };
      await store.put(changed.map(({ stored }) => stored));
    },
  };
}

function shownOf({ stored: { hash: _, ...shown }, lastUsedAt }: Entry): ShownKey {
  return { ...shown, lastUsedAt };
}
