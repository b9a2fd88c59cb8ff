import { isRefusedWrite, RequestError } from '../errors.ts';
import { createFailureLimit } from '../resilience/failure-limit.ts';
import type { KeptPayment, KeptReply, Payments } from '../store/store.ts';
import { type Authorization, digestOf, paymentIdOf, readAuthorization } from './authorization.ts';
import { type ChainOptions, createChain } from './chain.ts';
import { kindFault, priceFault } from './checks.ts';
import { createFacilitator, type FacilitatorOptions } from './facilitator.ts';
import { createFacilitatorHealth } from './facilitator-health.ts';
import { facilitatorRequestOf } from './facilitator-request.ts';
import { type Offer, offerOf } from './offer.ts';
import {
  afterSettling,
  isUnresolved,
  receiptHeaders,
  reserved,
  settling,
  verified,
} from './payment-states.ts';
import * as refusals from './refusals.ts';
import { createSettlementRetries, type RetryReport, recoverPayments } from './settlement-retries.ts';
import type { PaymentTerms } from './terms.ts';

/** A request that carries a payment. */
export interface PaidRequest {
  /** The payment as it was sent. */
  readonly payment: string;
  readonly path: string;
  /** Path and query. */
  readonly resource: string;
  /** The whole address of the request. */
  readonly url: string;
  /** The address that refused payments count for. */
  readonly address: string;
  /** Makes the answer that is paid for. */
  answer(): Promise<KeptReply>;
  /** Whether the caller has left. */
  isGone(): boolean;
}

interface PaidReply {
  readonly reply: KeptReply;
  /** To be called once the reply has left. */
  sent(): void;
}

/** Takes payments for single answers of tier PRO. */
export interface PaymentService {
  /** How to pay for a path; undefined while the facilitator does not answer. */
  offer(path: string, url: string): Offer | undefined;
  /** Resolves to the reply once it is paid for, or rejects with a RequestError and nothing charged. */
  charge(request: PaidRequest): Promise<PaidReply>;
  /** Leaves settlements under way to the next start, and waits for writes. */
  close(): Promise<void>;
}

/** Events of payments for the operator. */
export type PaymentReport =
  | RetryReport
  /** How a paid request ended; `repeated` was sent before, `unserved` was not charged. */
  | { readonly type: 'outcome'; readonly outcome: 'unknown' | 'refused' | 'repeated' | 'unserved' }
  /** The facilitator gave no clear answer. */
  | { readonly type: 'facilitator'; readonly call: 'verify' | 'settle'; readonly reason: string };

export interface PaymentServiceDeps {
  readonly terms: PaymentTerms;
  readonly facilitator: Omit<FacilitatorOptions, 'signal'>;
  /** A node of the chain, which shows what became of a payment when the facilitator does not. */
  readonly node?: Pick<ChainOptions, 'url' | 'timeoutMs'> | undefined;
  readonly payments: Payments;
  /** UTC ms. */
  readonly now: () => number;
  /** UTC ms when all that tells the time agrees on it; undefined while it does not, and no nonce is forgotten. */
  readonly agreedNow: () => number | undefined;
  /** Ms that never step. */
  readonly mono: () => number;
  readonly report: (report: PaymentReport) => void;
  /** How often payments with an unknown outcome are tried again. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
const MAX_FAILED_PER_MINUTE = 20;

/**
 * Begins with the payments that the last process left open. The order of a payment: local checks, the nonce on disk,
 * verify, the reply in memory and on disk, settle, send. So nothing is served twice, and nothing is charged unserved.
 */
export async function openPaymentService(deps: PaymentServiceDeps): Promise<PaymentService> {
  const { terms, payments, now, report } = deps;
  const closing = new AbortController();
  const facilitator = createFacilitator({ ...deps.facilitator, signal: closing.signal });
  const chainId = Number(terms.network.slice('eip155:'.length));
  const chain = deps.node && createChain({ ...deps.node, chainId, signal: closing.signal });
  const health = createFacilitatorHealth(facilitator.isAnswering, deps.mono);
  const failures = createFailureLimit(MAX_FAILED_PER_MINUTE);
  const active = new Set<string>();
  const work = new Set<Promise<unknown>>();
  const retrySettlements = createSettlementRetries({
    payments,
    facilitator,
    health,
    chain,
    now,
    agreedNow: deps.agreedNow,
    mono: deps.mono,
    active,
    report,
  });

  function track<T>(promise: Promise<T>): Promise<T> {
    work.add(promise);
    const done = () => void work.delete(promise);
    promise.then(done, done);
    return promise;
  }

  const reportTrouble = (error: unknown) => report({ type: 'trouble', error });

  /** Whether the disk took what becomes of the payments that the last process left. */
  async function recovered(): Promise<boolean> {
    try {
      await recoverPayments({ payments, now, active });
      return true;
    } catch (error) {
      if (!isRefusedWrite(error)) throw error;
      reportTrouble(error);
      return false;
    }
  }

  async function lookAfterPayments(): Promise<void> {
    try {
      if (!isRecovered) isRecovered = await recovered();
    } catch (error) {
      reportTrouble(error);
    }
    await retrySettlements();
  }

  const offerFor = ({ path, url }: Pick<PaidRequest, 'path' | 'url'>) => offerOf(terms, path, url);

  /** A write without which the payment cannot go on. */
  async function required<T>(id: string, write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      reportTrouble(error);
      await release(id);
      throw refusals.notStored();
    }
  }

  /** A nonce that cannot be released now is released when its payment comes again, or by a retry. */
  async function release(id: string): Promise<void> {
    await payments.release(id).catch(reportTrouble);
  }

  function paidReply(payment: KeptPayment, reply: KeptReply): PaidReply {
    return {
      reply: { ...reply, headers: { ...reply.headers, ...receiptHeaders(payment) } },
      sent() {
        if (payment.sentAt !== null) return;
        void track(payments.put({ ...payment, sentAt: now() }).catch(reportTrouble));
      },
    };
  }

  function stillOpen(payment: KeptPayment): RequestError {
    const waitMs = (payment.nextTryAt ?? now()) - now();
    return isUnresolved(payment, now()) ? refusals.unresolved(waitMs) : refusals.pending(waitMs);
  }

  /** The answer to a payment that was sent before. */
  function repeat(payment: KeptPayment, authorization: Authorization, request: PaidRequest): PaidReply {
    const { state, reply } = payment;
    const isUnderWay = state === 'RESERVED' || state === 'VERIFIED' || state === 'SETTLING';
    if (isUnderWay && active.has(payment.id)) throw refusals.inProgress();
    if (payment.proof !== digestOf(authorization)) throw refusals.used(offerFor(request));
    if (state === 'FAILED') throw refusals.failed(receiptHeaders(payment), offerFor(request));
    if (state !== 'SETTLED') throw stillOpen(payment);
    if (payment.resource !== request.resource || reply === null) throw refusals.used(offerFor(request));
    report({ type: 'outcome', outcome: 'repeated' });
    return paidReply(payment, reply);
  }

  async function chargeFirst(
    authorization: Authorization,
    id: string,
    request: PaidRequest,
  ): Promise<PaidReply> {
    const { path, url, resource } = request;
    const asked = facilitatorRequestOf(authorization, terms, path, url);
    const reservation = reserved(authorization, { id, resource, request: asked, nowMs: now() });
    // Only a failed write can have left a row: a request under way would hold the id.
    if (payments.find(id) !== undefined) await required(id, payments.release(id));
    if (!(await required(id, payments.reserve(reservation)))) throw refusals.inProgress();

    const verdict = await facilitator.verify(asked);
    if (verdict.type === 'unavailable') {
      health.unanswered(id);
      report({ type: 'facilitator', call: 'verify', reason: verdict.reason });
    } else health.answered();
    if (verdict.type !== 'valid') {
      await release(id);
      if (verdict.type === 'invalid') throw refusals.refused(verdict.reason, offerFor(request));
      throw refusals.unavailable(verdict.type === 'busy' ? verdict.waitMs : undefined);
    }
    const payment = verified(reservation, now());
    await required(id, payments.put(payment));

    let reply: KeptReply;
    try {
      reply = await request.answer();
    } catch (error) {
      await release(id);
      report({ type: 'outcome', outcome: 'unserved' });
      throw error;
    }
    if (reply.status >= 400 || request.isGone() || closing.signal.aborted) {
      await release(id);
      report({ type: 'outcome', outcome: 'unserved' });
      return { reply, sent: () => undefined };
    }
    return settle(settling(payment, reply, now()), reply, request);
  }

  async function settle(payment: KeptPayment, reply: KeptReply, request: PaidRequest): Promise<PaidReply> {
    await required(payment.id, payments.put(payment));
    const settlement = await facilitator.settle(JSON.parse(payment.order));
    if (settlement.type === 'unavailable') health.unanswered(payment.id);
    else health.answered();
    if (settlement.type === 'unavailable' || settlement.type === 'open') {
      report({ type: 'facilitator', call: 'settle', reason: settlement.reason });
    }
    const after = afterSettling(payment, settlement, now());
    const stored = await payments.put(after).then(
      () => 'yes' as const,
      (error: unknown) => {
        reportTrouble(error);
        return isRefusedWrite(error) ? ('later' as const) : ('elsewhere' as const);
      },
    );
    // A row that stays SETTLING is settled again by a retry. That changes nothing about a success, but a refusal may not
    // be the last word then. Where the payment is another process's by now, that one finds out what became of it, perhaps
    // without the transaction, and every copy of the payment must be told the same.
    if (stored === 'elsewhere' || (after.state === 'FAILED' && stored !== 'yes')) throw stillOpen(payment);
    if (after.state === 'UNKNOWN') {
      report({ type: 'outcome', outcome: 'unknown' });
      throw stillOpen(after);
    }
    if (after.state === 'FAILED') {
      report({ type: 'outcome', outcome: 'failed' });
      throw refusals.failed(receiptHeaders(after), offerFor(request));
    }
    report({ type: 'outcome', outcome: 'settled' });
    return paidReply(after, reply);
  }

  async function chargeOrRepeat(request: PaidRequest): Promise<PaidReply> {
    const authorization = readAuthorization(request.payment);
    const kind = kindFault(authorization, terms);
    if (kind !== undefined) throw refusals.refused(kind, offerFor(request));
    const id = paymentIdOf(authorization, terms);
    const before = payments.find(id);
    const isLeft = before?.state === 'RESERVED' || before?.state === 'VERIFIED';
    if (before !== undefined && (!isLeft || active.has(id))) return repeat(before, authorization, request);
    if (active.has(id)) throw refusals.inProgress();
    const fault = priceFault(authorization, terms, request.path, now());
    if (fault !== undefined) throw refusals.refused(fault, offerFor(request));
    if (health.isDown()) throw refusals.unavailable();
    active.add(id);
    try {
      return await chargeFirst(authorization, id, request);
    } finally {
      active.delete(id);
    }
  }

  // On a disk that refuses writes this is tried again later, and everything else goes on.
  let isRecovered = await recovered();
  let isRetrying = false;
  const timer = setInterval(() => {
    void track(health.check());
    if (isRetrying) return;
    isRetrying = true;
    void track(lookAfterPayments()).finally(() => {
      isRetrying = false;
    });
  }, deps.everyMs ?? EVERY_MS);
  timer.unref();

  return {
    offer: (path, url) => (health.isDown() ? undefined : offerFor({ path, url })),
    async charge(request) {
      const waitMs = failures.waitMs(request.address, now());
      if (waitMs > 0) throw refusals.tooMany(waitMs);
      try {
        return await track(chargeOrRepeat(request));
      } catch (error) {
        if (isBadPayment(error)) {
          report({ type: 'outcome', outcome: 'refused' });
          failures.count(request.address, now());
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

/** Whether the payment was at fault, and not the request itself or this service. */
function isBadPayment(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    error.code.startsWith('payment_') &&
    (error.status === 400 || error.status === 402)
  );
}
