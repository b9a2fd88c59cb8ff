import { DAY_MS, HOUR_MS } from '../../streams/internal.ts';
import type { KeptPayment, Payments } from '../store/store.ts';
import type { Facilitator } from './facilitator.ts';
import { afterCrash, afterSettling } from './outcome.ts';
import type { PaymentReport } from './report.ts';

/** A nonce is remembered so long after its payment was good. */
const KEPT_MS = 30 * DAY_MS;
/** How long a reply that was sent is kept to be sent again. */
const REPLY_KEPT_MS = 600_000;
const ROWS_PER_STEP = 50;
const EVER = Number.MAX_SAFE_INTEGER;

export interface SettlementRetriesDeps {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** UTC ms. */
  readonly now: () => number;
  /** Payments that a caller or a chore is at. */
  readonly active: Set<string>;
  readonly report: (report: PaymentReport) => void;
}

/** What a process that was killed left: nothing was served for what was not settling, so it is let go. */
export async function recoverPayments({
  payments,
  now,
}: Pick<SettlementRetriesDeps, 'payments' | 'now'>): Promise<void> {
  for (const payment of payments.marked('open', EVER, EVER)) {
    if (payment.state === 'RESERVED' || payment.state === 'VERIFIED') await payments.release(payment.id);
    else if (payment.state === 'SETTLING') await payments.put(afterCrash(payment, now()));
  }
}

export interface SettlementRetries {
  /** Does what is due. One run at a time. */
  run(): Promise<void>;
}

export function createSettlementRetries({
  payments,
  facilitator,
  now,
  active,
  report,
}: SettlementRetriesDeps): SettlementRetries {
  let nextReckoningAt = 0;

  async function settleAgain(payment: KeptPayment): Promise<void> {
    const settlement = await facilitator.settle(JSON.parse(payment.order));
    // A row that was left behind in the middle of its first settlement has an unknown outcome too.
    const after = afterSettling({ ...payment, state: 'UNKNOWN' }, settlement, now());
    await payments.put(after);
    if (after.state === 'UNKNOWN' && after.nextTryAt === null) report({ type: 'given_up', id: payment.id });
    else if (after.state === 'SETTLED') report({ type: 'outcome', outcome: 'settled' });
    else if (after.state === 'FAILED') report({ type: 'outcome', outcome: 'failed' });
  }

  async function moveOn(payment: KeptPayment): Promise<void> {
    if (active.has(payment.id)) return;
    active.add(payment.id);
    try {
      if (payment.state === 'SETTLING' || payment.state === 'UNKNOWN') await settleAgain(payment);
      else await payments.release(payment.id);
    } finally {
      active.delete(payment.id);
    }
  }

  async function reckon(): Promise<void> {
    const unsent = payments.marked('unsent', now() - REPLY_KEPT_MS, EVER);
    report({ type: 'unsent', ids: unsent.map(({ id }) => id) });
    for (;;) {
      if ((await payments.prune(now() - KEPT_MS, ROWS_PER_STEP)) < ROWS_PER_STEP) return;
    }
  }

  return {
    async run() {
      try {
        for (const payment of payments.marked('open', now(), ROWS_PER_STEP)) await moveOn(payment);
        for (const payment of payments.marked('spare', now() - REPLY_KEPT_MS, ROWS_PER_STEP)) {
          await payments.put({ ...payment, reply: null });
        }
        if (now() < nextReckoningAt) return;
        nextReckoningAt = now() + HOUR_MS;
        await reckon();
      } catch (error) {
        report({ type: 'trouble', error });
      }
    },
  };
}
