import { hash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { KeptKey, Keys } from '../../store/store.ts';
import type { Tier } from '../tiers.ts';
import type { KnownKeys } from './key-lookup.ts';
import { createKeyTable } from './key-table.ts';
import { mintId, mintKey } from './key-text.ts';

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
  /** Notes that a key was used somewhere else, UTC ms. */
  used(id: string, at: number): void;
  /** Stores the times of last use that changed. */
  flush(): Promise<void>;
}

/** `now` is UTC ms. */
export function openKeyRegistry(store: Keys, now: () => number): KeyRegistry {
  const stored = new Map<string, KeptKey>();
  const table = createKeyTable();

  function register(key: KeptKey): void {
    stored.set(key.id, key);
    table.put(key);
  }
  for (const key of store.all()) register(key);

  function storedOf(id: string): KeptKey {
    const key = stored.get(id);
    if (key === undefined) throw new ServiceError('KEY_UNKNOWN', `there is no key with the id ${id}`);
    return key;
  }

  const lastUsedAt = (id: string) => table.holder(id)?.lastUsedAt ?? null;

  function shown({ hash: _, ...key }: KeptKey): ShownKey {
    return { ...key, lastUsedAt: lastUsedAt(key.id) };
  }

  function freeId(): string {
    const id = mintId();
    return stored.has(id) ? freeId() : id;
  }

  async function create({ tier, name, limit }: NewKey): Promise<IssuedKey> {
    const key = mintKey(tier);
    const made: KeptKey = {
      id: freeId(),
      hash: hash('sha256', key),
      tier,
      name,
      limit,
      createdAt: now(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await store.put([made]);
    register(made);
    return { key, shown: shown(made) };
  }

  async function revoke(id: string): Promise<ShownKey> {
    const key = storedOf(id);
    const revoked = { ...key, revokedAt: key.revokedAt ?? now() };
    // Before it is on disk, so that with a full disk the key is refused at least while this process lives.
    register(revoked);
    await store.put([revoked]);
    return shown(revoked);
  }

  return {
    find: table.find,
    tierOf: table.tierOf,
    create,
    list: () =>
      Array.from(stored.values(), shown).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    revoke,
    async rotate(id, revokesOld) {
      const key = storedOf(id);
      if (key.revokedAt !== null) throw new ServiceError('KEY_REVOKED', `the key ${id} is revoked already`);
      const issued = await create(key);
      if (revokesOld) await revoke(id);
      return issued;
    },
    used(id, at) {
      const holder = table.holder(id);
      if (holder !== undefined) holder.lastUsedAt = Math.max(holder.lastUsedAt ?? 0, at);
    },
    async flush() {
      const changed = [...stored.values()].filter((key) => lastUsedAt(key.id) !== key.lastUsedAt);
      if (changed.length === 0) return;
      const used = changed.map((key) => ({ ...key, lastUsedAt: lastUsedAt(key.id) }));
      for (const key of used) stored.set(key.id, key);
      await store.put(used).catch((error: unknown) => {
        // To be stored with the next ones. A key may have been revoked meanwhile.
        for (const { id, lastUsedAt: before } of changed) {
          stored.set(id, { ...storedOf(id), lastUsedAt: before });
        }
        throw error;
      });
    },
  };
}
