import type { Authorization } from './authorization.ts';
import { MAX_TIMEOUT_SECONDS, type PaymentTerms, requirementsOf, v1NetworkOf } from './terms.ts';

/** A payment must stay valid long enough to be verified and settled. */
const LEAST_LEFT_SECONDS = 15;
/** How far the clocks of callers may run ahead. */
const CLOCK_SECONDS = 60;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * What is wrong with a payment at any time and on any path, as a reason of the protocol: it is of another kind, or for
 * someone else. It is compared with our own terms, never with the terms that the payment claims.
 */
export function kindFault(authorization: Authorization, terms: PaymentTerms): string | undefined {
  if (authorization.x402Version === 1) {
    if (authorization.scheme !== 'exact') return 'unsupported_scheme';
    if (authorization.network !== v1NetworkOf(terms.network)) return 'invalid_network';
  } else {
    const { scheme, network, asset } = authorization.accepted;
    if (scheme !== 'exact') return 'unsupported_scheme';
    if (!same(network, terms.network)) return 'invalid_network';
    if (!same(asset, terms.asset)) return 'invalid_payment_requirements';
  }
  const { to } = authorization.payload.authorization;
  return same(to, terms.payTo) ? undefined : 'invalid_exact_evm_payload_recipient_mismatch';
}

/** What is wrong with a payment for this path at this time. */
export function priceFault(
  authorization: Authorization,
  terms: PaymentTerms,
  path: string,
  nowMs: number,
): string | undefined {
  const ours = requirementsOf(terms, path);
  if (authorization.x402Version === 2) {
    const { amount, payTo, maxTimeoutSeconds, extra } = authorization.accepted;
    const isOurs =
      amount === ours.amount &&
      same(payTo, ours.payTo) &&
      maxTimeoutSeconds === ours.maxTimeoutSeconds &&
      extra.name === terms.assetName &&
      extra.version === terms.assetVersion;
    if (!isOurs) return 'invalid_payment_requirements';
  }
  const { value, validAfter, validBefore } = authorization.payload.authorization;
  if (BigInt(value) !== BigInt(ours.amount)) {
    return 'invalid_exact_evm_payload_authorization_value_mismatch';
  }
  const now = nowMs / 1_000;
  if (Number(validAfter) > now) return 'invalid_exact_evm_payload_authorization_valid_after';
  const left = Number(validBefore) - now;
  return left < LEAST_LEFT_SECONDS || left > MAX_TIMEOUT_SECONDS + CLOCK_SECONDS
    ? 'invalid_exact_evm_payload_authorization_valid_before'
    : undefined;
}
