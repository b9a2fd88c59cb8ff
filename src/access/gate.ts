import { RequestError } from '../errors.ts';
import { includes, type KeyRing, type Tier } from './tiers.ts';

/**
 * Whom an endpoint is for: `open` to all, whatever key they send; `tiered`, where a key decides how much is
 * seen; or callers of a tier only (spec 5).
 */
export type Access = 'open' | 'tiered' | 'PRO' | 'INTERNAL';

/** Twice the longest key we issue; a longer one is refused before any look-up. */
const MAX_KEY_LENGTH = 128;
const CHALLENGE = { 'WWW-Authenticate': 'ApiKey header="X-API-Key"' };

export interface Gate {
  /** The tier a caller is served at, or a RequestError. Synchronous and cheap: it is asked on every request. */
  admit(access: Access, key: string | undefined): Tier;
}

/**
 * A key that is sent but not known is refused wherever keys count, so that a mistyped key is never served the
 * public tier in silence. An empty header is no key.
 */
export function createGate(keys: KeyRing): Gate {
  return {
    admit(access, key) {
      if (access === 'open') return 'FREE';
      if (key === undefined || key === '') {
        if (access === 'tiered') return 'FREE';
        throw new RequestError(401, 'key_missing', `This needs a key of tier ${access}`, CHALLENGE);
      }
      const tier = key.length <= MAX_KEY_LENGTH ? keys.tierOf(key) : undefined;
      if (tier === undefined) {
        throw new RequestError(401, 'key_invalid', 'The API key is not known or was revoked', CHALLENGE);
      }
      if (access !== 'tiered' && !includes(tier, access)) {
        const message = `This needs a key of tier ${access}, and the key sent is ${tier}`;
        throw new RequestError(401, 'tier_too_low', message, CHALLENGE);
      }
      return tier;
    },
  };
}
