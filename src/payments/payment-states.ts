import * as z from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { backoffDelay } from '../resilience/backoff.ts';
import type { KeptPayment } from '../store/store.ts';
import { type Authorization, digestOf } from './authorization.ts';
import type { ChainEvidence, SignedTransfer } from './chain.ts';
import type { Settlement } from './facilitator.ts';
import type { FacilitatorRequest } from './facilitator-request.ts';

/** Longer than any settlement: a row that is still open then was left by a failed write. */
const LEFT_OPEN_MS = MINUTE_MS;
/** How long after it expired a payment may have an unknown outcome before an operator is told. */
const RESOLVED_WITHIN_MS = HOUR_MS;
const BACKOFF = { firstMs: 10_000, longestMs: MINUTE_MS };
/** Between two tries of a payment that an operator was told about. No try is set further ahead. */
export const LONGEST_WAIT_MS = HOUR_MS;
/** Of what a facilitator says, so much is stored. */
const ANSWER_CHARS = 200;

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
    takenAt: nowMs,
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
 * The payment after a try to settle it. Only a first try can fail by the facilitator's word: once the outcome of a try
 * is unknown, a refusal of the next one may come from the success of the one before. A used nonce then means that this
 * payment was settled, as it was free when the payment was verified, unless the very first try already met it.
 */
export function afterSettling(payment: KeptPayment, settlement: Settlement, nowMs: number): KeptPayment {
  const isFirst = payment.state === 'SETTLING';
  switch (settlement.type) {
    case 'settled':
      return settled(payment, settlement.transaction, nowMs);
    case 'used':
      if (isFirst) return { ...stillUnknown(payment, settlement.reason, nowMs), usedAtFirst: true };
      if (payment.usedAtFirst === true) return stillUnknown(payment, settlement.reason, nowMs);
      return settled(payment, '', nowMs);
    case 'refused':
      if (isFirst) return failed(payment, settlement.reason, nowMs);
      return stillUnknown(payment, settlement.reason, nowMs);
    case 'busy': {
      const { waitMs } = settlement;
      return { ...stillUnknown(payment, 'too many requests', nowMs), nextTryAt: nowMs + waitMs };
    }
    case 'open':
    case 'unavailable':
      return stillUnknown(payment, settlement.reason, nowMs);
  }
}

/** The payment with an unknown outcome after a look at the chain; undefined when that showed nothing yet. */
export function afterEvidence(
  payment: KeptPayment,
  evidence: ChainEvidence,
  nowMs: number,
): KeptPayment | undefined {
  switch (evidence.type) {
    case 'transferred':
      return settled(payment, evidence.transaction, nowMs);
    case 'failed':
      return failed(payment, evidence.reason, nowMs);
    case 'used':
      return payment.usedAtFirst === true ? undefined : settled(payment, '', nowMs);
    case 'unused':
    case 'unavailable':
      return undefined;
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

/** Whether it took so long to find out the outcome of a payment that an operator has to. */
export function isUnresolved({ state, validBeforeAt }: KeptPayment, nowMs: number): boolean {
  return state === 'UNKNOWN' && nowMs > validBeforeAt + RESOLVED_WITHIN_MS;
}

/** What a stored payment lets the chain do. */
export function transferOf({ order, validBeforeAt }: KeptPayment): SignedTransfer {
  const { paymentPayload, paymentRequirements } = orderSchema.parse(JSON.parse(order));
  const { from, to, value, nonce } = paymentPayload.payload.authorization;
  return { asset: paymentRequirements.asset, from, to, value: BigInt(value), nonce, validBeforeAt };
}

const orderSchema = z.object({
  paymentPayload: z.object({
    payload: z.object({
      authorization: z.object({ from: z.string(), to: z.string(), value: z.string(), nonce: z.string() }),
    }),
  }),
  paymentRequirements: z.object({ asset: z.string() }),
});

function settled(payment: KeptPayment, transaction: string, nowMs: number): KeptPayment {
  const receipt: Receipt = { success: true, transaction, ...partiesOf(payment) };
  return {
    ...payment,
    state: 'SETTLED',
    changedAt: nowMs,
    nextTryAt: null,
    receipt: JSON.stringify(receipt),
  };
}

function failed(payment: KeptPayment, errorReason: string, nowMs: number): KeptPayment {
  const receipt: Receipt = { success: false, transaction: '', errorReason, ...partiesOf(payment) };
  return {
    ...payment,
    state: 'FAILED',
    changedAt: nowMs,
    nextTryAt: null,
    reply: null,
    receipt: JSON.stringify(receipt),
  };
}

function stillUnknown(payment: KeptPayment, answer: string, nowMs: number): KeptPayment {
  const lastAnswer = answer.slice(0, ANSWER_CHARS);
  const unknown = { ...payment, state: 'UNKNOWN', tries: payment.tries + 1, lastAnswer } as const;
  const waitMs = isUnresolved(unknown, nowMs) ? LONGEST_WAIT_MS : backoffDelay(BACKOFF, unknown.tries);
  return { ...unknown, changedAt: nowMs, nextTryAt: nowMs + waitMs };
}

/** Network and payer as the facilitator's request names them. */
function partiesOf({ id, order }: KeptPayment): Pick<Receipt, 'network' | 'payer'> {
  const [, , payer = ''] = id.split('|');
  // Written by `reserved`.
  const { paymentRequirements } = JSON.parse(order) as { paymentRequirements: { network: string } };
  return { network: paymentRequirements.network, payer };
}
