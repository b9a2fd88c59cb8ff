import type { Tier } from '../tiers.ts';

/** The holder of a valid key. */
export interface Holder {
  /** Public: may be shown and logged. */
  readonly id: string;
  readonly tier: Tier;
  /** Requests per hour; null for the tier's own limit. */
  readonly limit: number | null;
  /** UTC ms. The gate sets it. */
  lastUsedAt: number | null;
}

/** Finds the holder of a key as it was sent. Synchronous and cheap: every request with a key calls it. */
export interface KeyLookup {
  find(key: string): Holder | undefined;
}

export interface KnownKeys extends KeyLookup {
  /** The tier of the key with this public id, unless it was revoked. */
  tierOf(id: string): Tier | undefined;
}

/** The three published keys of the demo. They are no secret, so they must not work outside it. */
export function demoKeys(): KnownKeys {
  const holder = (id: string, tier: Tier): Holder => ({ id, tier, limit: null, lastUsedAt: null });
  const holders = new Map([
    ['demo_free', holder('demo-free', 'FREE')],
    ['demo_pro', holder('demo-pro', 'PRO')],
    ['demo_internal', holder('demo-internal', 'INTERNAL')],
  ]);
  const tiers = new Map(Array.from(holders.values(), ({ id, tier }) => [id, tier]));
  return { find: (key) => holders.get(key), tierOf: (id) => tiers.get(id) };
}

/** Asks each lookup in turn. */
export function joinLookups(...lookups: readonly KeyLookup[]): KeyLookup {
  return {
    find(key) {
      for (const lookup of lookups) {
        const holder = lookup.find(key);
        if (holder !== undefined) return holder;
      }
      return undefined;
    },
  };
}
