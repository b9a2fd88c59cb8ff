import { HOUR_MS } from '../../streams/internal.ts';
import { backoffDelay } from '../resilience/backoff.ts';
import type { KeptPayment } from '../store/store.ts';
import type { Receipt, Settlement } from './facilitator.ts';

/** A payment whose outcome is unknown is tried again until so long after it was good. */
const TRIED_FOR_MS = HOUR_MS;
const BACKOFF = { firstMs: 10_000, longestMs: 60_000 };

/** These say that it is too late now, not what became of an earlier try. */
const TOO_LATE = /valid_before|expired/;

/**
 * The payment after a try to settle it. After a try whose outcome was lost, a nonce that the chain knows is
 * ours: only this payment could use it up without its payer giving it away.
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
      return unknownStill(payment, nowMs);
    case 'unknown':
      return unknownStill(payment, nowMs);
  }
}

/** A payment that a process left in the middle of its settlement. */
export function afterCrash(payment: KeptPayment, nowMs: number): KeptPayment {
  return { ...payment, state: 'UNKNOWN', changedAt: nowMs, nextTryAt: nowMs };
}

function unknownStill(payment: KeptPayment, nowMs: number): KeptPayment {
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

/** Network and payer as the order names them. */
function partiesOf({ id, order }: KeptPayment): Pick<Receipt, 'network' | 'payer'> {
  const [, , payer = ''] = id.split('|');
  // Written by orderOf.
  const { paymentRequirements } = JSON.parse(order) as { paymentRequirements: { network: string } };
  return { network: paymentRequirements.network, payer };
}
