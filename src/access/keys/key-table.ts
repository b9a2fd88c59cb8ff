import { hash, timingSafeEqual } from 'node:crypto';
import { remembered } from '../../resilience/remembered.ts';
import type { KeptKey } from '../../store/store.ts';
import type { Holder, KnownKeys } from './key-lookup.ts';
import { isWellFormed } from './key-text.ts';

/** What has to be known of a key to let its holder in. */
export type AdmittedKey = Pick<KeptKey, 'id' | 'hash' | 'tier' | 'limit' | 'lastUsedAt' | 'revokedAt'>;

/** All keys that are known, in memory. */
interface KeyTable extends KnownKeys {
  /** Adds a key, or ends one that is there already; nothing else of a key ever changes. */
  put(key: AdmittedKey): void;
  /** Also of a key that was revoked. */
  holder(id: string): Holder | undefined;
}

interface Entry extends Holder {
  readonly digest: Buffer;
  isRevoked: boolean;
}

/** Keys used lately, as they were sent: finding one here costs far less than a hash. */
const MAX_REMEMBERED = 10_000;

export function createKeyTable(): KeyTable {
  const byId = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const recent = remembered<string, Entry>(MAX_REMEMBERED);

  return {
    put({ id, hash: digest, tier, limit, lastUsedAt, revokedAt }) {
      const isRevoked = revokedAt !== null;
      const known = byId.get(id);
      if (known === undefined) {
        const entry = { id, tier, limit, lastUsedAt, isRevoked, digest: Buffer.from(digest, 'hex') };
        byId.set(id, entry);
        byHash.set(digest, entry);
      } else if (isRevoked) {
        known.isRevoked = true;
        recent.clear();
      }
    },
    holder: (id) => byId.get(id),
    find(key) {
      const seen = recent.get(key);
      if (seen !== undefined) return seen;
      if (!isWellFormed(key)) return undefined;
      const digest = hash('sha256', key, 'buffer');
      const entry = byHash.get(digest.toString('hex'));
      if (entry === undefined || entry.isRevoked) return undefined;
      if (!timingSafeEqual(digest, entry.digest)) return undefined;
      recent.set(key, entry);
      return entry;
    },
    tierOf(id) {
      const entry = byId.get(id);
      return entry === undefined || entry.isRevoked ? undefined : entry.tier;
    },
  };
}
