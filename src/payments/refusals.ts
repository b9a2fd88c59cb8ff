import { RequestError } from '../errors.ts';
import type { Offer } from './offer.ts';

/** The ways a payment may end without its answer. Those with an offer invite the caller to pay anew. */

export function refused(reason: string, offer: Offer): RequestError {
  const message = `The payment is refused: ${reason}`;
  return new RequestError(402, 'payment_refused', message, offer.headers, { reason, ...offer.fields });
}

/** The money did not move. `receipt` is the header that proves it. */
export function failed(receipt: Readonly<Record<string, string>>, offer: Offer): RequestError {
  const headers = { ...receipt, ...offer.headers };
  return new RequestError(402, 'payment_failed', 'The payment could not be settled', headers, offer.fields);
}

export function used(offer: Offer): RequestError {
  const message = 'The payment was used for another call, or its reply is no longer kept';
  return new RequestError(402, 'payment_used', message, offer.headers, offer.fields);
}

export function inProgress(): RequestError {
  const message = 'A call with this payment is under way';
  return new RequestError(409, 'payment_in_progress', message, { 'Retry-After': '2' });
}

/** Neither settled nor failed: a caller who pays anew now may pay twice. */
export function pending(waitMs: number): RequestError {
  const message =
    'Whether the payment was settled is not known yet; send the same one again, do not pay anew';
  return new RequestError(503, 'payment_pending', message, retryAfter(waitMs));
}

/** Still neither, long after it expired. */
export function unresolved(waitMs: number): RequestError {
  const message =
    'Whether the payment was settled could not be found out, and the operator was told; the answer is kept for it';
  return new RequestError(503, 'payment_unresolved', message, retryAfter(waitMs));
}

export function unavailable(waitMs = 10_000): RequestError {
  const message = 'Payments cannot be taken at the moment, and nothing was charged';
  return new RequestError(503, 'payments_unavailable', message, retryAfter(waitMs));
}

export function notStored(): RequestError {
  const message = 'The payment could not be written down, and nothing was charged';
  return new RequestError(503, 'store_unavailable', message, { 'Retry-After': '5' });
}

export function tooMany(waitMs: number): RequestError {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = 'Too many payments from this address were refused';
  const headers = { 'Retry-After': String(seconds) };
  return new RequestError(429, 'too_many_failed_payments', message, headers, {
    retry_after: seconds,
    retry_after_ms: Math.ceil(waitMs),
  });
}

function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
}
