/** What a caller may see. A caller without a key is FREE. Each tier includes those before it. */
export type Tier = 'FREE' | 'PRO' | 'INTERNAL';

const RANK: Readonly<Record<Tier, number>> = { FREE: 0, PRO: 1, INTERNAL: 2 };

export function includes(tier: Tier, needed: Tier): boolean {
  return RANK[tier] >= RANK[needed];
}

/** Looks a key up as it was sent. Synchronous and cheap: it is asked on every keyed request. */
export interface KeyRing {
  tierOf(key: string): Tier | undefined;
}

/** The three published keys of demo mode. Never to be used outside it: they are no secret. */
export function demoKeys(): KeyRing {
  const tiers = new Map<string, Tier>([
    ['demo_free', 'FREE'],
    ['demo_pro', 'PRO'],
    ['demo_internal', 'INTERNAL'],
  ]);
  return { tierOf: (key) => tiers.get(key) };
}
