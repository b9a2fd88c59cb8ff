import type { KeptPayment, PaymentState, Payments } from '../store/store.ts';
import { isUnresolved, transferOf } from './payment-states.ts';

/** What an operator needs to know of a payment, to look it up on the chain or to help its payer. */
export interface ListedPayment {
  /** `network|asset|payer|nonce`. */
  readonly id: string;
  readonly state: PaymentState;
  /** Whether its outcome could not be found out in time. */
  readonly isUnresolved: boolean;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  /** Millionths of the token, in decimal digits. */
  readonly amount: string;
  /** Path and query it was sent with. */
  readonly resource: string;
  /** UTC ms; null when an earlier version took it and did not store when. */
  readonly takenAt: number | null;
  readonly validBeforeAt: number;
  readonly nextTryAt: number | null;
  readonly tries: number;
  /** What the facilitator last said of its outcome. */
  readonly lastAnswer: string | null;
}

const EVER = Number.MAX_SAFE_INTEGER;

/** The payments that are not over, and those that were settled but whose answer nobody fetched; the oldest first. */
export function listPayments(payments: Pick<Payments, 'marked'>, nowMs: number): readonly ListedPayment[] {
  return [...payments.marked('open', EVER, EVER), ...payments.marked('unsent', EVER, EVER)]
    .map((payment) => listed(payment, nowMs))
    .sort((a, b) => (a.takenAt ?? 0) - (b.takenAt ?? 0));
}

function listed(payment: KeptPayment, nowMs: number): ListedPayment {
  const { id, state, resource, takenAt = null, validBeforeAt, nextTryAt, tries, lastAnswer = null } = payment;
  const [network = '', asset = '', payer = '', nonce = ''] = id.split('|');
  return {
    id,
    state,
    isUnresolved: isUnresolved(payment, nowMs),
    network,
    asset,
    payer,
    nonce,
    amount: String(transferOf(payment).value),
    resource,
    takenAt,
    validBeforeAt,
    nextTryAt,
    tries,
    lastAnswer,
  };
}
