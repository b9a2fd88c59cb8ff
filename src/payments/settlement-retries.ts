import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import type { KeptPayment, Payments } from '../store/store.ts';
import type { Facilitator } from './facilitator.ts';
import { afterCrash, afterSettling } from './payment-states.ts';

/** How long a nonce is remembered after its payment expired. */
const NONCE_KEPT_MS = 30 * DAY_MS;
/** How long a reply that was sent is stored, to be sent again. */
const REPLY_KEPT_MS = 10 * MINUTE_MS;
const ROWS_PER_STEP = 50;
const EVER = Number.MAX_SAFE_INTEGER;

export type RetryReport =
  | { readonly type: 'outcome'; readonly outcome: 'settled' | 'failed' }
  /** It will never be known whether this payment was settled. */
  | { readonly type: 'given_up'; readonly id: string }
  /** Payments that were settled but whose reply was never sent. Reported each hour, even when there are none. */
  | { readonly type: 'unsent'; readonly ids: readonly string[] }
  | { readonly type: 'trouble'; readonly error: unknown };

interface SettlementRetriesDeps {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** UTC ms. */
  readonly now: () => number;
  /** Payments that a request or a retry works on. */
  readonly active: Set<string>;
  readonly report: (report: RetryReport) => void;
}

/** Payments that were not settling yet when the last process was killed bought nothing, so their nonces are released. */
export async function recoverPayments({
  payments,
  now,
}: Pick<SettlementRetriesDeps, 'payments' | 'now'>): Promise<void> {
  for (const payment of payments.marked('open', EVER, EVER)) {
    if (payment.state === 'RESERVED' || payment.state === 'VERIFIED') await payments.release(payment.id);
    else if (payment.state === 'SETTLING') await payments.put(afterCrash(payment, now()));
  }
}

/**
 * The returned function settles open payments again, drops old replies and, once an hour, old nonces. It must not run
 * twice at a time.
 */
export function createSettlementRetries(deps: SettlementRetriesDeps): () => Promise<void> {
  const { payments, facilitator, now, active, report } = deps;
  let nextPruneAt = 0;

  async function settleAgain(payment: KeptPayment): Promise<void> {
    const settlement = await facilitator.settle(JSON.parse(payment.order));
    // A row that was left in the middle of its first settlement has an unknown outcome too.
    const after = afterSettling({ ...payment, state: 'UNKNOWN' }, settlement, now());
    await payments.put(after);
    if (after.state === 'UNKNOWN' && after.nextTryAt === null) report({ type: 'given_up', id: payment.id });
    else if (after.state === 'SETTLED') report({ type: 'outcome', outcome: 'settled' });
    else if (after.state === 'FAILED') report({ type: 'outcome', outcome: 'failed' });
  }

  async function settleOrRelease(payment: KeptPayment): Promise<void> {
    if (active.has(payment.id)) return;
    active.add(payment.id);
    try {
      if (payment.state === 'SETTLING' || payment.state === 'UNKNOWN') await settleAgain(payment);
      else await payments.release(payment.id);
    } finally {
      active.delete(payment.id);
    }
  }

  function reportUnsent(): void {
    const unsent = payments.marked('unsent', now() - REPLY_KEPT_MS, EVER);
    report({ type: 'unsent', ids: unsent.map(({ id }) => id) });
  }

  async function pruneNonces(): Promise<void> {
    let dropped = ROWS_PER_STEP;
    while (dropped >= ROWS_PER_STEP) dropped = await payments.prune(now() - NONCE_KEPT_MS, ROWS_PER_STEP);
  }

  return async () => {
    try {
      for (const payment of payments.marked('open', now(), ROWS_PER_STEP)) await settleOrRelease(payment);
      for (const payment of payments.marked('spare', now() - REPLY_KEPT_MS, ROWS_PER_STEP)) {
        await payments.put({ ...payment, reply: null });
      }
      if (now() < nextPruneAt) return;
      nextPruneAt = now() + HOUR_MS;
      reportUnsent();
      await pruneNonces();
    } catch (error) {
      report({ type: 'trouble', error });
    }
  };
}
