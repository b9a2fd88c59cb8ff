import type { Authorization } from './authorization.ts';
import { type PaymentTerms, requirementsOf, requirementsV1Of } from './terms.ts';

/** The body of a request to the facilitator, in the names of its wire. */
export interface FacilitatorRequest {
  readonly x402Version: 1 | 2;
  readonly paymentPayload: object;
  readonly paymentRequirements: object;
}

/** The payment, built anew from the fields that were checked, and our own requirements. */
export function facilitatorRequestOf(
  authorization: Authorization,
  terms: PaymentTerms,
  path: string,
  url: string,
): FacilitatorRequest {
  const { x402Version, payload } = authorization;
  if (x402Version === 2) {
    const accepted = requirementsOf(terms, path);
    return { x402Version, paymentPayload: { x402Version, accepted, payload }, paymentRequirements: accepted };
  }
  const { scheme, network } = authorization;
  const requirements = requirementsV1Of(terms, path, url);
  if (requirements === undefined) throw new RangeError(`version 1 has no name for ${terms.network}`);
  return {
    x402Version,
    paymentPayload: { x402Version, scheme, network, payload },
    paymentRequirements: requirements,
  };
}
