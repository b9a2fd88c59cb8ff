import type { IncomingMessage } from 'node:http';
import type { Caller, Gate } from '../access/gate.ts';
import { includes } from '../access/tiers.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import type { Offer } from '../payments/offer.ts';
import {
  type Answer,
  bodyBytes,
  callOf,
  type Endpoint,
  type FileEndpoint,
  type RequestContext,
  type Route,
  type SlowEndpoint,
} from './answer.ts';
import { internalError, refusal, sentenceOf } from './error-answer.ts';
import { isForSale, offerAfter, offerBeside, type PaidAccess, sellAnswer } from './paid-access.ts';

/** The answer to a request, and what is recorded about it. */
export interface Outcome {
  readonly answer: Answer<string | Buffer>;
  /** The headers of this call alone, names and values in turn: the hourly limit, and the offer to pay for more. */
  readonly callHeaders: readonly string[];
  /** Public id of the caller's key; null without one. */
  readonly keyId: string | null;
  /** A sentence about the error; empty without one. */
  readonly message: string;
}

/**
 * The steps of every request: identify, admit, answer, settle, record. The table of ready answers runs them at once; in
 * Koa's middleware the answer may take time.
 */
export interface RequestProtocol {
  /** Whether a request has to wait for its payment. */
  isSale(route: Route, req: IncomingMessage): boolean;
  /** A promise when the gate has to ask elsewhere, and only then. */
  answerNow(endpoint: Endpoint, req: IncomingMessage): Outcome | Promise<Outcome>;
  answerLater(endpoint: Endpoint | SlowEndpoint | FileEndpoint, ctx: RequestContext): Promise<Outcome>;
  /** The outcome of a request that failed. Bugs are reported. */
  fail(error: unknown, keyId: string | null): Outcome;
  /** `route` is a path of ours, or `unknown`; `bytes` is the length of the body that a GET would get. */
  record(route: string, method: string, startedMs: number, outcome: Outcome, bytes: number): void;
}

interface RequestProtocolDeps {
  readonly gate: Gate;
  /** Undefined when no calls are sold. */
  readonly paidAccess?: PaidAccess | undefined;
  readonly recorder: UsageRecorder;
  readonly requestServed: (route: string, status: number, ms: number) => void;
  /** Receives every error that is a bug. */
  readonly report: (error: unknown) => void;
}

const NO_HEADERS: readonly string[] = [];

/** An outcome of a call that does not count towards the hourly limit. */
export function unlimited(answer: Answer<string | Buffer>, keyId: string | null = null): Outcome {
  return { answer, callHeaders: NO_HEADERS, keyId, message: '' };
}

export function createRequestProtocol(deps: RequestProtocolDeps): RequestProtocol {
  const { gate, paidAccess, recorder, requestServed, report } = deps;

  function fail(error: unknown, keyId: string | null, offer?: Offer): Outcome {
    const refused = refusal(error, offer);
    if (refused === undefined) report(error);
    return { answer: refused ?? internalError(), callHeaders: NO_HEADERS, keyId, message: sentenceOf(error) };
  }

  function identify(route: Route, req: IncomingMessage): Caller | Outcome {
    let caller: Caller | undefined;
    try {
      caller = gate.identify(route, req);
      gate.share(caller);
      return caller;
    } catch (error) {
      return fail(error, caller?.keyId ?? null);
    }
  }

  /** Undefined when the call is admitted. */
  function refuse(
    route: Route,
    req: IncomingMessage,
    caller: Caller,
  ): Outcome | undefined | Promise<Outcome | undefined> {
    try {
      const waiting = gate.admit(route, caller);
      if (waiting === undefined) return undefined;
      return waiting.then(
        () => undefined,
        (error: unknown) => refused(error, route, req, caller),
      );
    } catch (error) {
      return refused(error, route, req, caller);
    }
  }

  function refused(error: unknown, route: Route, req: IncomingMessage, caller: Caller): Outcome {
    return fail(error, caller.keyId, offerAfter(error, route, req, paidAccess?.payments));
  }

  function answerAdmitted(endpoint: Endpoint, req: IncomingMessage, caller: Caller): Outcome {
    let answer: Answer;
    try {
      answer = endpoint.answer(callOf(req, caller.keyId), caller.tier);
    } catch (error) {
      return settleFailed(req, caller, error);
    }
    return settleAnswered(endpoint, req, caller, answer);
  }

  function settle(
    req: IncomingMessage,
    caller: Caller,
    answer: Answer<string | Buffer>,
    message = '',
  ): Outcome {
    const callHeaders = gate.settle(caller, answer.status, req.method === 'HEAD' ? 0 : bodyBytes(answer));
    return { answer, callHeaders, keyId: caller.keyId, message };
  }

  function settleAnswered(
    route: Route,
    req: IncomingMessage,
    caller: Caller,
    answer: Answer<string | Buffer>,
  ): Outcome {
    const outcome = settle(req, caller, answer);
    if (answer.status !== 200) return outcome;
    const offer = offerBeside(route, req, caller.tier, paidAccess?.payments);
    return offer.length === 0 ? outcome : { ...outcome, callHeaders: [...outcome.callHeaders, ...offer] };
  }

  function settleFailed(req: IncomingMessage, caller: Caller, error: unknown): Outcome {
    const { answer, message } = fail(error, caller.keyId);
    return settle(req, caller, answer, message);
  }

  return {
    fail,
    isSale: (route, req) => paidAccess !== undefined && isForSale(route, req),

    answerNow(endpoint, req) {
      const caller = identify(endpoint, req);
      if ('answer' in caller) return caller;
      const refused = refuse(endpoint, req, caller);
      if (refused instanceof Promise) {
        return refused.then((outcome) => outcome ?? answerAdmitted(endpoint, req, caller));
      }
      return refused ?? answerAdmitted(endpoint, req, caller);
    },

    async answerLater(endpoint, ctx) {
      const { req } = ctx;
      const caller = identify(endpoint, req);
      if ('answer' in caller) return caller;
      const isSale = paidAccess !== undefined && isForSale(endpoint, req) && !includes(caller.tier, 'PRO');
      if (isSale && endpoint.access !== 'open') {
        try {
          return unlimited(await sellAnswer(paidAccess, endpoint, ctx), caller.keyId);
        } catch (error) {
          return fail(error, caller.keyId);
        }
      }
      const refused = await refuse(endpoint, req, caller);
      if (refused !== undefined) return refused;
      let answer: Answer<string | Buffer>;
      try {
        answer = await endpoint.answer(callOf(req, caller.keyId), caller.tier, ctx);
      } catch (error) {
        return settleFailed(req, caller, error);
      }
      return settleAnswered(endpoint, req, caller, answer);
    },

    record(route, method, startedMs, { answer, keyId, message }, bytes) {
      const ms = performance.now() - startedMs;
      requestServed(route, answer.status, ms);
      recorder.record(route, method, answer.status, ms, method === 'HEAD' ? 0 : bytes, keyId, message);
    },
  };
}
