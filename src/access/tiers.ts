import { RequestError } from '../errors.ts';

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

/** Twice the longest key we issue; a longer one is refused before any look-up. */
const MAX_KEY_LENGTH = 128;

/**
 * The tier of a caller on an endpoint that accepts a key. A key that is sent but not known is refused, so
 * that a mistyped key is never served the public tier in silence. An empty header is no key.
 */
export function tierOfCaller(keys: KeyRing, key: string | undefined): Tier {
  if (key === undefined || key === '') return 'FREE';
  const tier = key.length <= MAX_KEY_LENGTH ? keys.tierOf(key) : undefined;
  if (tier === undefined) {
    throw new RequestError(401, 'key_invalid', 'The API key is not known or was revoked', {
      'WWW-Authenticate': 'ApiKey header="X-API-Key"',
    });
  }
  return tier;
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
