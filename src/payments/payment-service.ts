import { createFailedKeys } from '../access/limits/failed-keys.ts';
import { RequestError } from '../errors.ts';
import { createCircuit } from '../resilience/circuit-breaker.ts';
import type { KeptPayment, KeptReply, Payments } from '../store/store.ts';
import { type Authorization, digestOf, readAuthorization } from './authorization.ts';
import { kindFault, priceFault } from './checks.ts';
import { createFacilitator, type FacilitatorOptions } from './facilitator.ts';
import { type Offer, offerOf } from './offer.ts';
import { idOf, LEFT_BEHIND_MS, orderOf, reservationOf } from './order.ts';
import { afterSettling } from './outcome.ts';
import { receiptHeaders } from './receipt.ts';
import * as refusals from './refusals.ts';
import type { PaymentReport } from './report.ts';
import type { Sale, Sold } from './sale.ts';
import { createSettlementRetries, recoverPayments } from './settlement-retries.ts';
import type { PaymentTerms } from './terms.ts';

/** Sells single answers of tier PRO. */
export interface PaymentService {
  /** How to pay for a path; undefined while nobody can. */
  offer(path: string, url: string): Offer | undefined;
  /** Resolves to the reply once it is paid for, or rejects with a RequestError and nothing charged. */
  charge(sale: Sale): Promise<Sold>;
  /** Hands settlements under way to the next start, and waits for writes. */
  close(): Promise<void>;
}

export interface PaymentServiceDeps {
  readonly terms: PaymentTerms;
  readonly facilitator: Omit<FacilitatorOptions, 'signal'>;
  readonly payments: Payments;
  /** UTC ms. */
  readonly now: () => number;
  /** Ms that never step. */
  readonly mono: () => number;
  readonly report: (report: PaymentReport) => void;
  /** How often payments with an unknown outcome are looked at. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
const MAX_FAILED_PER_MINUTE = 20;

/**
 * Opens the till with what the last process left in it. Order of a sale: local checks, the nonce on disk, verify,
 * the reply in memory and on disk, settle, send; so that nothing is served twice, and nothing charged unserved.
 */
export async function openPaymentService(deps: PaymentServiceDeps): Promise<PaymentService> {
  const { terms, payments, now, report } = deps;
  const { encodePaymentRequiredHeader } = await import('@x402/core/http');
  await recoverPayments(deps);
  const closing = new AbortController();
  const facilitator = createFacilitator({ ...deps.facilitator, signal: closing.signal });
  const circuit = createCircuit(deps.mono);
  const failures = createFailedKeys(MAX_FAILED_PER_MINUTE);
  const active = new Set<string>();
  const work = new Set<Promise<unknown>>();
  const chores = createSettlementRetries({ payments, facilitator, now, active, report });
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    void track(chores.run()).finally(() => {
      isRunning = false;
    });
  }, deps.everyMs ?? EVERY_MS);
  timer.unref();

  function track<T>(promise: Promise<T>): Promise<T> {
    work.add(promise);
    const done = () => void work.delete(promise);
    promise.then(done, done);
    return promise;
  }

  const offerFor = ({ path, url }: Pick<Sale, 'path' | 'url'>) =>
    offerOf(terms, path, url, encodePaymentRequiredHeader);

  /** A write without which the sale cannot go on. */
  async function kept<T>(id: string, write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      report({ type: 'trouble', error });
      await letGo(id);
      throw refusals.unkept();
    }
  }

  /** Frees the nonce. What cannot be freed now is freed when it is next asked for, or by a chore. */
  async function letGo(id: string): Promise<void> {
    await payments.release(id).catch((error: unknown) => report({ type: 'trouble', error }));
  }

  function soldFrom(payment: KeptPayment, reply: KeptReply): Sold {
    return {
      reply: { ...reply, headers: { ...reply.headers, ...receiptHeaders(payment) } },
      sent() {
        if (payment.sentAt !== null) return;
        const note = payments.put({ ...payment, sentAt: now() });
        void track(note.catch((error: unknown) => report({ type: 'trouble', error })));
      },
    };
  }

  /** A payment that was sent before. */
  function sellAgain(payment: KeptPayment, proof: Authorization, sale: Sale): Sold {
    const { state, reply } = payment;
    const isUnderWay = state === 'RESERVED' || state === 'VERIFIED' || state === 'SETTLING';
    if (isUnderWay && active.has(payment.id)) throw refusals.inProgress();
    if (payment.proof !== digestOf(proof)) throw refusals.used(offerFor(sale));
    if (state === 'FAILED') throw refusals.failed(receiptHeaders(payment), offerFor(sale));
    if (state !== 'SETTLED') throw refusals.pending();
    if (payment.resource !== sale.resource || reply === null) throw refusals.used(offerFor(sale));
    report({ type: 'outcome', outcome: 'repeated' });
    return soldFrom(payment, reply);
  }

  async function sellFirst(proof: Authorization, id: string, sale: Sale): Promise<Sold> {
    const order = orderOf(proof, terms, sale.path, sale.url);
    const reserved = reservationOf(proof, { id, resource: sale.resource, order, nowMs: now() });
    // Only what a failed write left can be there: whoever is at it holds the id.
    if (payments.find(id) !== undefined) await kept(id, payments.release(id));
    if (!(await kept(id, payments.reserve(reserved)))) throw refusals.inProgress();

    const verdict = await facilitator.verify(order);
    if (verdict.type !== 'valid') {
      await letGo(id);
      if (verdict.type === 'invalid') {
        circuit.answered();
        throw refusals.refused(verdict.reason, offerFor(sale));
      }
      circuit.failed();
      report({ type: 'facilitator', call: 'verify', reason: verdict.reason });
      throw refusals.unavailable();
    }
    circuit.answered();
    const verified: KeptPayment = { ...reserved, state: 'VERIFIED', changedAt: now() };
    await kept(id, payments.put(verified));

    let reply: KeptReply;
    try {
      reply = await sale.answer();
    } catch (error) {
      await letGo(id);
      report({ type: 'outcome', outcome: 'unserved' });
      throw error;
    }
    if (reply.status >= 400 || sale.isGone() || closing.signal.aborted) {
      await letGo(id);
      report({ type: 'outcome', outcome: 'unserved' });
      return { reply, sent: () => undefined };
    }
    return settle({ ...verified, state: 'SETTLING', reply }, reply, sale);
  }

  async function settle(begun: KeptPayment, reply: KeptReply, sale: Sale): Promise<Sold> {
    const settling = { ...begun, changedAt: now(), nextTryAt: now() + LEFT_BEHIND_MS };
    await kept(begun.id, payments.put(settling));
    const settlement = await facilitator.settle(JSON.parse(begun.order));
    if (settlement.type === 'unknown') {
      circuit.failed();
      report({ type: 'facilitator', call: 'settle', reason: settlement.reason });
    } else circuit.answered();
    const after = afterSettling(settling, settlement, now());
    // The outcome stands whether it can be written or not; a row left settling is asked for again by a chore.
    await payments.put(after).catch((error: unknown) => report({ type: 'trouble', error }));
    if (after.state === 'UNKNOWN') {
      report({ type: 'outcome', outcome: 'unknown' });
      throw refusals.pending();
    }
    if (after.state === 'FAILED') {
      report({ type: 'outcome', outcome: 'failed' });
      throw refusals.failed(receiptHeaders(after), offerFor(sale));
    }
    report({ type: 'outcome', outcome: 'settled' });
    return soldFrom(after, reply);
  }

  async function trade(sale: Sale): Promise<Sold> {
    const proof = readAuthorization(sale.payment);
    const kind = kindFault(proof, terms);
    if (kind !== undefined) throw refusals.refused(kind, offerFor(sale));
    const id = idOf(proof, terms);
    const before = payments.find(id);
    const isLeft = before?.state === 'RESERVED' || before?.state === 'VERIFIED';
    if (before !== undefined && (!isLeft || active.has(id))) return sellAgain(before, proof, sale);
    if (active.has(id)) throw refusals.inProgress();
    const fault = priceFault(proof, terms, sale.path, now());
    if (fault !== undefined) throw refusals.refused(fault, offerFor(sale));
    if (!circuit.admits()) throw refusals.unavailable();
    active.add(id);
    try {
      return await sellFirst(proof, id, sale);
    } finally {
      active.delete(id);
    }
  }

  return {
    offer: (path, url) => (circuit.isOpen() ? undefined : offerFor({ path, url })),
    async charge(sale) {
      const waitMs = failures.waitMs(sale.address, now());
      if (waitMs > 0) throw refusals.tooMany(waitMs);
      try {
        return await track(trade(sale));
      } catch (error) {
        if (isBadPayment(error)) {
          report({ type: 'outcome', outcome: 'refused' });
          failures.note(sale.address, now());
        }
        throw error;
      }
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.allSettled(work);
    },
  };
}

/** What the payer did wrong, as opposed to what the call itself or we did. */
function isBadPayment(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    error.code.startsWith('payment_') &&
    (error.status === 400 || error.status === 402)
  );
}
