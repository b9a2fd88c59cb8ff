import type { KeptPayment } from '../store/store.ts';
import { type Authorization, digestOf } from './authorization.ts';
import type { FacilitatorOrder } from './facilitator.ts';
import { firstRequirementsOf, type PaymentTerms, requirementsOf } from './terms.ts';

/** Past the longest settlement: a row that nobody has moved on by then was left behind. */
export const LEFT_BEHIND_MS = 60_000;

/** Of our own network and asset, and of what the facilitator is sent: the same nonce is the same payment. */
export function idOf({ payload }: Authorization, { network, asset }: PaymentTerms): string {
  const { from, nonce } = payload.authorization;
  return [network, asset, from, nonce].join('|').toLowerCase();
}

/**
 * What the facilitator is asked: the payment, put together anew from what was checked, and our own
 * requirements.
 */
export function orderOf(
  proof: Authorization,
  terms: PaymentTerms,
  path: string,
  url: string,
): FacilitatorOrder {
  const { x402Version, payload } = proof;
  if (x402Version === 2) {
    const accepted = requirementsOf(terms, path);
    return { x402Version, paymentPayload: { x402Version, accepted, payload }, paymentRequirements: accepted };
  }
  const { scheme, network } = proof;
  const requirements = firstRequirementsOf(terms, path, url);
  if (requirements === undefined) throw new RangeError(`version 1 has no name for ${terms.network}`);
  return {
    x402Version,
    paymentPayload: { x402Version, scheme, network, payload },
    paymentRequirements: requirements,
  };
}

export function reservationOf(
  proof: Authorization,
  { id, resource, order, nowMs }: { id: string; resource: string; order: FacilitatorOrder; nowMs: number },
): KeptPayment {
  return {
    id,
    state: 'RESERVED',
    proof: digestOf(proof),
    resource,
    order: JSON.stringify(order),
    validBeforeAt: Number(proof.payload.authorization.validBefore) * 1_000,
    changedAt: nowMs,
    nextTryAt: nowMs + LEFT_BEHIND_MS,
    tries: 0,
    reply: null,
    receipt: null,
    sentAt: null,
  };
}
