/** What a caller may see. A caller without a key is FREE. Each tier includes those before it. */
export type Tier = 'FREE' | 'PRO' | 'INTERNAL';

export const TIERS: readonly Tier[] = ['FREE', 'PRO', 'INTERNAL'];

/**
 * Whom an endpoint is for: `open` to all, whatever key they send; `public`, also for all, but a key that is sent has to
 * be known; `tiered`, where the key decides how much is seen; or callers of a tier only (spec 5).
 */
export type Access = 'open' | 'public' | 'tiered' | 'PRO' | 'INTERNAL';

const RANK: Readonly<Record<Tier, number>> = { FREE: 0, PRO: 1, INTERNAL: 2 };

export function includes(tier: Tier, needed: Tier): boolean {
  return RANK[tier] >= RANK[needed];
}
