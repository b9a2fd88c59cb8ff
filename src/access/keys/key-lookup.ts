import type { Tier } from '../tiers.ts';

/** Whoever holds a valid key, as far as answering him goes. */
export interface Holder {
  /** Public: may be shown and logged. */
  readonly id: string;
  readonly tier: Tier;
  /** Requests an hour; null for what the tier has. */
  readonly limit: number | null;
  /** UTC ms. Set by the gate. */
  lastUsedAt: number | null;
}

/** Looks a key up as it was sent. Synchronous and cheap: it is asked on every keyed request. */
export interface KeyLookup {
  find(key: string): Holder | undefined;
}

/** The three published keys of demo mode. Never to be used outside it: they are no secret. */
export function demoKeys(): KeyLookup {
  const holder = (id: string, tier: Tier): Holder => ({ id, tier, limit: null, lastUsedAt: null });
  const holders = new Map([
    ['demo_free', holder('demo-free', 'FREE')],
    ['demo_pro', holder('demo-pro', 'PRO')],
    ['demo_internal', holder('demo-internal', 'INTERNAL')],
  ]);
  return { find: (key) => holders.get(key) };
}

/** Looks in one ring after the other. */
export function joinLookups(...rings: readonly KeyLookup[]): KeyLookup {
  return {
    find(key) {
      for (const ring of rings) {
        const holder = ring.find(key);
        if (holder !== undefined) return holder;
      }
      return undefined;
    },
  };
}
