import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import type { KeptPayment, Payments } from '../store/store.ts';
import type { Chain } from './chain.ts';
import type { Facilitator } from './facilitator.ts';
import type { FacilitatorHealth } from './facilitator-health.ts';
import {
  afterCrash,
  afterEvidence,
  afterSettling,
  isUnresolved,
  LONGEST_WAIT_MS,
  transferOf,
} from './payment-states.ts';

/** How long a nonce is remembered after its payment expired. */
const NONCE_KEPT_MS = 30 * DAY_MS;
/** How long a reply that was sent is stored, to be sent again. */
const REPLY_KEPT_MS = 10 * MINUTE_MS;
const ROWS_PER_STEP = 50;
/** So that one payment that the facilitator never answers does not hold up the others. */
const AT_ONCE = 5;
const EVER = Number.MAX_SAFE_INTEGER;

export type RetryReport =
  | { readonly type: 'outcome'; readonly outcome: 'settled' | 'failed' }
  /** The node of the chain did not tell what became of a payment. */
  | { readonly type: 'node'; readonly reason: string }
  /** Payments of which it could not be found out whether they were settled. Reported each hour, even when there are none. */
  | { readonly type: 'unresolved'; readonly ids: readonly string[] }
  /** Payments that were settled but whose reply was never sent. Reported each hour, even when there are none. */
  | { readonly type: 'unsent'; readonly ids: readonly string[] }
  | { readonly type: 'trouble'; readonly error: unknown };

interface SettlementRetriesDeps {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly health: FacilitatorHealth;
  /** Undefined when no node of the chain is known. */
  readonly chain: Chain | undefined;
  /** UTC ms. */
  readonly now: () => number;
  /** UTC ms when all that tells the time agrees on it; undefined while it does not, and nothing is dropped. */
  readonly agreedNow: () => number | undefined;
  /** Ms; never goes back. */
  readonly mono: () => number;
  /** Payments that a request or a retry works on. */
  readonly active: Set<string>;
  readonly report: (report: RetryReport) => void;
}

/**
 * Payments that were not settling yet when the last process was killed bought nothing, so their nonces are released. A
 * try that is further ahead than any is set was set under a calendar that was ahead, and is due now.
 */
export async function recoverPayments(deps: OpenPayments & { readonly now: () => number }): Promise<void> {
  const { payments, now } = deps;
  for (const listed of payments.marked('open', EVER, EVER)) {
    const payment = ifOpen(deps, listed);
    if (payment === undefined) continue;
    const { id, state, nextTryAt } = payment;
    if (state === 'RESERVED' || state === 'VERIFIED') await payments.release(id);
    else if (state === 'SETTLING') await payments.put(afterCrash(payment, now()));
    else if ((nextTryAt ?? 0) > now() + LONGEST_WAIT_MS) await payments.put({ ...payment, nextTryAt: now() });
  }
}

type OpenPayments = Pick<SettlementRetriesDeps, 'payments' | 'active'>;

/**
 * The payment as it is now, unless it is over or something works on it: since it was listed its payer may have sent it
 * again. To be asked for right before each write.
 */
function ifOpen({ payments, active }: OpenPayments, { id }: KeptPayment): KeptPayment | undefined {
  const payment = active.has(id) ? undefined : payments.find(id);
  return payment === undefined || payment.nextTryAt === null ? undefined : payment;
}

/**
 * The returned function settles open payments again, drops old replies and, once an hour, old nonces. It must not run
 * twice at a time.
 */
export function createSettlementRetries(deps: SettlementRetriesDeps): () => Promise<void> {
  const { payments, facilitator, health, chain, now, agreedNow, mono, active, report } = deps;
  /** By `mono`: when the hourly work is due, and until when the facilitator asked us to wait. */
  let nextHourAt = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** When payments were last looked after, UTC ms. */
  let lookedAt = now();

  /** What the chain shows of the payment, when that decides about it. */
  async function provenByChain(payment: KeptPayment): Promise<KeptPayment | undefined> {
    if (chain === undefined) return undefined;
    const evidence = await chain.evidenceOf(transferOf(payment));
    if (evidence.type === 'unavailable') report({ type: 'node', reason: evidence.reason });
    return afterEvidence(payment, evidence, now());
  }

  async function askedAgain(payment: KeptPayment): Promise<KeptPayment> {
    const settlement = await facilitator.settle(JSON.parse(payment.order));
    if (settlement.type === 'unavailable') health.unanswered(payment.id);
    else health.answered();
    if (settlement.type === 'busy') heldUntil = mono() + settlement.waitMs;
    // The chain shows by what a nonce was used, so where it can be asked nothing is concluded from the facilitator's word.
    const isForChain = settlement.type === 'used' && chain !== undefined;
    return afterSettling(payment, isForChain ? { ...settlement, type: 'open' } : settlement, now());
  }

  async function settleAgain(row: KeptPayment): Promise<void> {
    // A row that was left in the middle of its first settlement has an unknown outcome too.
    const payment = { ...row, state: 'UNKNOWN' } as const;
    const after = (await provenByChain(payment)) ?? (await askedAgain(payment));
    await payments.put(after);
    if (after.state === 'SETTLED') report({ type: 'outcome', outcome: 'settled' });
    else if (after.state === 'FAILED') report({ type: 'outcome', outcome: 'failed' });
    else if (isUnresolved(after, now()) && !isUnresolved(payment, row.changedAt)) reportUnresolved();
  }

  async function settleOrRelease(listed: KeptPayment): Promise<void> {
    const payment = ifOpen(deps, listed);
    if (payment === undefined) return;
    active.add(payment.id);
    try {
      if (payment.state === 'SETTLING' || payment.state === 'UNKNOWN') await settleAgain(payment);
      else await payments.release(payment.id);
    } finally {
      active.delete(payment.id);
    }
  }

  /** Tries are set by the calendar. When that is set back they would come as much later, so all are due. */
  async function followCalendar(): Promise<void> {
    const at = now();
    if (at < lookedAt) {
      for (const listed of payments.marked('open', EVER, EVER)) {
        const payment = ifOpen(deps, listed);
        if (payment !== undefined) await payments.put({ ...payment, nextTryAt: at });
      }
    }
    lookedAt = at;
  }

  async function settleDue(): Promise<void> {
    const due = [...payments.marked('open', now(), ROWS_PER_STEP)];
    const worker = async () => {
      while (mono() >= heldUntil) {
        const payment = due.shift();
        if (payment === undefined) return;
        await settleOrRelease(payment).catch((error: unknown) => report({ type: 'trouble', error }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  function reportUnresolved(): void {
    const open = payments.marked('open', EVER, EVER).filter((payment) => isUnresolved(payment, now()));
    report({ type: 'unresolved', ids: open.map(({ id }) => id) });
  }

  function reportUnsent(): void {
    const unsent = payments.marked('unsent', now() - REPLY_KEPT_MS, EVER);
    report({ type: 'unsent', ids: unsent.map(({ id }) => id) });
  }

  async function pruneNonces(): Promise<void> {
    const at = agreedNow();
    if (at === undefined) return;
    let dropped = ROWS_PER_STEP;
    while (dropped >= ROWS_PER_STEP) dropped = await payments.prune(at - NONCE_KEPT_MS, ROWS_PER_STEP);
  }

  return async () => {
    try {
      await followCalendar();
      await settleDue();
      for (const payment of payments.marked('spare', now() - REPLY_KEPT_MS, ROWS_PER_STEP)) {
        await payments.put({ ...payment, reply: null });
      }
      if (mono() < nextHourAt) return;
      nextHourAt = mono() + HOUR_MS;
      reportUnsent();
      reportUnresolved();
      await pruneNonces();
    } catch (error) {
      report({ type: 'trouble', error });
    }
  };
}
