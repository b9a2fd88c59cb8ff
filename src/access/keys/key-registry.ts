import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { KeptKey, Keys } from '../../store/store.ts';
import type { Tier } from '../tiers.ts';
import type { Holder, KeyLookup } from './key-lookup.ts';
import { isWellFormed, mintId, mintKey } from './key-text.ts';

/** A key as it may be shown: without the key, and without what is stored of it. */
export type ShownKey = Omit<KeptKey, 'hash'>;

export interface NewKey {
  readonly tier: Tier;
  readonly name: string;
  /** Requests an hour; null for what the tier has. */
  readonly limit: number | null;
}

/** A key just made. This is the one time it is shown. */
export interface IssuedKey {
  readonly key: string;
  readonly shown: ShownKey;
}

/** All keys of a store: who holds which, and what may be done to them. One book per store. */
export interface KeyRegistry extends KeyLookup {
  create(wanted: NewKey): Promise<IssuedKey>;
  /** In the order they were made. */
  list(): readonly ShownKey[];
  /** From now on nobody is let in with it. Rejects for an id that is not known; twice is fine. */
  revoke(id: string): Promise<ShownKey>;
  /** A new key like the old one, which stays valid unless told otherwise. */
  rotate(id: string, revokesOld: boolean): Promise<IssuedKey>;
  /** Stores the times of last use that changed. */
  flush(): Promise<void>;
}

interface Entry extends Holder {
  readonly digest: Buffer;
  kept: KeptKey;
}

/** Keys seen lately, as they were sent: a look-up costs a hash of the key, this a twentieth of it. */
const MAX_MEMO = 10_000;

/** `now` is UTC ms. */
export function openKeyRegistry(store: Keys, now: () => number): KeyRegistry {
  const byId = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const memo = new Map<string, Entry>();

  function enter(kept: KeptKey): Entry {
    const { id, tier, limit, lastUsedAt } = kept;
    const entry = { id, tier, limit, lastUsedAt, kept, digest: Buffer.from(kept.hash, 'hex') };
    byId.set(id, entry);
    byHash.set(kept.hash, entry);
    return entry;
  }
  for (const kept of store.all()) enter(kept);

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
    const kept: KeptKey = {
      id: freeId(),
      hash: hash('sha256', key),
      tier,
      name,
      limit,
      createdAt: now(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await store.put([kept]);
    return { key, shown: shownOf(enter(kept)) };
  }

  async function revoke(id: string): Promise<ShownKey> {
    const entry = entryOf(id);
    // Before it is on disk: with a full disk it is at least of no use to anyone while this process lives.
    entry.kept = { ...entry.kept, revokedAt: entry.kept.revokedAt ?? now() };
    memo.clear();
    await store.put([entry.kept]);
    return shownOf(entry);
  }

  return {
    find(key) {
      const seen = memo.get(key);
      if (seen !== undefined) return seen;
      if (!isWellFormed(key)) return undefined;
      const digest = hash('sha256', key, 'buffer');
      const entry = byHash.get(digest.toString('hex'));
      if (entry === undefined || entry.kept.revokedAt !== null) return undefined;
      if (!timingSafeEqual(digest, entry.digest)) return undefined;
      if (memo.size >= MAX_MEMO) memo.clear();
      memo.set(key, entry);
      return entry;
    },
    create,
    list: () =>
      Array.from(byId.values(), shownOf).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    revoke,
    async rotate(id, revokesOld) {
      const { kept } = entryOf(id);
      if (kept.revokedAt !== null) throw new ServiceError('KEY_REVOKED', `the key ${id} is revoked already`);
      const issued = await create(kept);
      if (revokesOld) await revoke(id);
      return issued;
    },
    async flush() {
      const changed = [...byId.values()].filter((entry) => entry.lastUsedAt !== entry.kept.lastUsedAt);
      if (changed.length === 0) return;
      for (const entry of changed) entry.kept = { ...entry.kept, lastUsedAt: entry.lastUsedAt };
      await store.put(changed.map(({ kept }) => kept));
    },
  };
}

function shownOf({ kept: { hash: _, ...shown }, lastUsedAt }: Entry): ShownKey {
  return { ...shown, lastUsedAt };
}
