import * as z from 'zod';
import type { KnownKeys } from '../../access/keys/key-lookup.ts';
import type { AdmittedKey } from '../../access/keys/key-table.ts';
import { createKeyTable } from '../../access/keys/key-table.ts';
import type { Following, SharedValues } from '../../bus/bus.ts';
import type { KeptKey, Keys } from '../../store/store.ts';
import { decodeJson, encodeJson } from '../entries/versioned-json.ts';

/** A key in the shared area `keys`, under its id. */
const sharedKey = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  tier: z.enum(['FREE', 'PRO', 'INTERNAL']),
  limit: z.int().nullable(),
  revokedAt: z.number().nullable(),
});

function encodeKey({ hash, tier, limit, revokedAt }: AdmittedKey): Uint8Array {
  return encodeJson(JSON.stringify({ hash, tier, limit, revokedAt }));
}

/**
 * The leader's side: keys are told to all edges. A key that is not revoked never takes the place of what is there, as an
 * engine that was frozen may tell it late.
 */
export function shareKeys(keys: Keys, shared: SharedValues): Keys & { tellAll(): Promise<void> } {
  /** What edges know already: whether a key is revoked. */
  const told = new Map<string, boolean>();

  async function tell(key: KeptKey): Promise<void> {
    const isRevoked = key.revokedAt !== null;
    if (told.get(key.id) === isRevoked) return;
    if (isRevoked) await shared.set(key.id, encodeKey(key));
    else await shared.create(key.id, encodeKey(key));
    told.set(key.id, isRevoked);
  }

  return {
    all: () => keys.all(),
    async put(changed) {
      // An end is told at once, even while it cannot be stored.
      const ends = changed.filter(({ revokedAt }) => revokedAt !== null).map(tell);
      await Promise.all([keys.put(changed), ...ends]);
      await Promise.all(changed.map(tell));
    },
    /** For the beginning of a term: what the last leader could not tell any more. */
    async tellAll() {
      await Promise.all(keys.all().map(tell));
    },
  };
}

/** The edge's side: the keys that it has been told, also while it cannot reach the bus. */
interface WatchedKeys extends KnownKeys {
  readonly following: Following;
}

/** `report` receives values that are no keys, which are left out, and why no more are told. */
export function watchKeys(shared: SharedValues, report: (error: unknown) => void): WatchedKeys {
  const table = createKeyTable();
  const following = shared.watch((change) => {
    if (change.type === 'removed') {
      const holder = table.holder(change.name);
      if (holder !== undefined) table.put({ ...holder, hash: '', revokedAt: 0 });
      return;
    }
    const { name, bytes } = change.value;
    try {
      table.put({ id: name, lastUsedAt: null, ...decodeJson(sharedKey, bytes, `the key ${name}`) });
    } catch (error) {
      report(error);
    }
  });
  // The shards of an edge are on the same stream, and it joins the cluster anew when they end.
  following.ended.catch(report);
  return { following, find: table.find, tierOf: table.tierOf };
}
