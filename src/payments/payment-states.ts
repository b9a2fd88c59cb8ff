import { HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { backoffDelay } from '../resilience/backoff.ts';
import type { KeptPayment } from '../store/store.ts';
import { type Authorization, digestOf } from './authorization.ts';
import type { Settlement } from './facilitator.ts';
import type { FacilitatorRequest } from './facilitator-request.ts';

/** Longer than any settlement: a row that is still open then was left by a failed write. */
const LEFT_OPEN_MS = MINUTE_MS;
/** How long after it expired a payment with an unknown outcome is still tried again. */
const TRIED_FOR_MS = HOUR_MS;
const BACKOFF = { firstMs: 10_000, longestMs: MINUTE_MS };

/** Reasons that say it is too late now; an earlier try may still have succeeded. */
const TOO_LATE = /valid_before|expired/;

/** The outcome of a settlement for the payer, with the names of the wire. */
interface Receipt {
  readonly success: boolean;
  readonly errorReason?: string;
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
}

/** The first state: the nonce is taken, and nothing else has happened. */
export function reserved(
  authorization: Authorization,
  {
    id,
    resource,
    request,
    nowMs,
  }: { id: string; resource: string; request: FacilitatorRequest; nowMs: number },
): KeptPayment {
  return {
    id,
    state: 'RESERVED',
    proof: digestOf(authorization),
    resource,
    order: JSON.stringify(request),
    validBeforeAt: Number(authorization.payload.authorization.validBefore) * 1_000,
    changedAt: nowMs,
    nextTryAt: nowMs + LEFT_OPEN_MS,
    tries: 0,
    reply: null,
    receipt: null,
    sentAt: null,
  };
}

/** The facilitator found it valid, and the answer is being made. */
export function verified(payment: KeptPayment, nowMs: number): KeptPayment {
  return { ...payment, state: 'VERIFIED', changedAt: nowMs };
}

/** The reply is ready, and the facilitator is about to be asked for the money. */
export function settling(payment: KeptPayment, reply: KeptPayment['reply'], nowMs: number): KeptPayment {
  return { ...payment, state: 'SETTLING', reply, changedAt: nowMs, nextTryAt: nowMs + LEFT_OPEN_MS };
}

/**
 * The payment after a try to settle it. After a try whose outcome was lost, a nonce that the chain knows means that
 * this payment was settled: nobody else could use the nonce without the payer's signature.
 */
export function afterSettling(payment: KeptPayment, settlement: Settlement, nowMs: number): KeptPayment {
  const isFirst = payment.state === 'SETTLING';
  const changed = { ...payment, changedAt: nowMs };
  const over = (state: 'SETTLED' | 'FAILED', result: Pick<Receipt, 'transaction' | 'errorReason'>) => {
    const receipt: Receipt = { success: state === 'SETTLED', ...result, ...partiesOf(payment) };
    const reply = state === 'SETTLED' ? payment.reply : null;
    return { ...changed, state, nextTryAt: null, reply, receipt: JSON.stringify(receipt) };
  };
  switch (settlement.type) {
    case 'settled':
      return over('SETTLED', { transaction: settlement.transaction });
    case 'used':
      if (isFirst) return over('FAILED', { transaction: '', errorReason: settlement.reason });
      return over('SETTLED', { transaction: '' });
    case 'failed':
      if (isFirst || !TOO_LATE.test(settlement.reason)) {
        return over('FAILED', { transaction: '', errorReason: settlement.reason });
      }
      return stillUnknown(payment, nowMs);
    case 'unknown':
      return stillUnknown(payment, nowMs);
  }
}

/** A payment that a process left in the middle of its settlement. */
export function afterCrash(payment: KeptPayment, nowMs: number): KeptPayment {
  return { ...payment, state: 'UNKNOWN', changedAt: nowMs, nextTryAt: nowMs };
}

/** The receipt in the header of version 2 and, for a payment of version 1, in that of version 1 too. */
export function receiptHeaders({ receipt, order }: KeptPayment): Readonly<Record<string, string>> {
  const text = Buffer.from(receipt ?? '{}').toString('base64');
  const isV1 = JSON.parse(order).x402Version === 1;
  return { 'PAYMENT-RESPONSE': text, ...(isV1 && { 'X-PAYMENT-RESPONSE': text }) };
}

function stillUnknown(payment: KeptPayment, nowMs: number): KeptPayment {
  const { tries, validBeforeAt } = payment;
  const isGivenUp = nowMs > validBeforeAt + TRIED_FOR_MS;
  return {
    ...payment,
    state: 'UNKNOWN',
    changedAt: nowMs,
    tries: tries + 1,
    nextTryAt: isGivenUp ? null : nowMs + backoffDelay(BACKOFF, tries + 1),
  };
}

/** Network and payer as the facilitator's request names them. */
function partiesOf({ id, order }: KeptPayment): Pick<Receipt, 'network' | 'payer'> {
  const [, , payer = ''] = id.split('|');
  // Written by `reserved`.
  const { paymentRequirements } = JSON.parse(order) as { paymentRequirements: { network: string } };
  return { network: paymentRequirements.network, payer };
}
