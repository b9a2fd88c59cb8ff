import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Gate } from '../access/gate.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import type { Offer } from '../payments/offer.ts';
import { type Answer, callOf, type Endpoint } from './answer.ts';
import { internalError, refusal, sentenceOf } from './error-answer.ts';
import { shownHeaders } from './headers.ts';
import { isForSale, offerAfter, type PaidAccess } from './paid-access.ts';

export interface ReadyAnswersDeps {
  readonly endpoints: readonly Endpoint[];
  /** Whether Koa has another answer to a path with this query. */
  readonly isElsewhere?: (path: string, query: string) => boolean;
  readonly gate: Gate;
  /** When payments are on. */
  readonly paidAccess?: PaidAccess | undefined;
  readonly served: (route: string, status: number, ms: number) => void;
  readonly recorder: UsageRecorder;
  /** Told of every error that is a bug of ours. */
  readonly report: (error: unknown) => void;
}

/** Answers the request and returns true, or leaves it untouched and returns false. */
export type ReadyAnswers = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * The table in front of Koa: a GET whose bytes exist already does not pay for a context, a router and a
 * body to be looked at. The same endpoints are mounted in Koa, so what is left out here is only cost.
 */
export function createReadyAnswers(deps: ReadyAnswersDeps): ReadyAnswers {
  const { paidAccess, isElsewhere } = deps;
  const table = new Map(
    deps.endpoints.map((endpoint) => [endpoint.path, { endpoint, serve: createLane(endpoint, deps) }]),
  );
  return (req, res) => {
    const { method, url = '' } = req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const query = url.indexOf('?');
    const lane = table.get(query < 0 ? url : url.slice(0, query));
    if (lane === undefined) return false;
    if (query >= 0 && isElsewhere?.(lane.endpoint.path, url.slice(query + 1))) return false;
    // A sale waits for others, so it is no business of the table.
    if (paidAccess !== undefined && isForSale(lane.endpoint, req)) return false;
    lane.serve(req, res, method);
    return true;
  };
}

/** Headers in the form that Node takes at the least cost: names and values in turn. */
interface Row {
  /** The headers, and behind them the limits last sent with them. */
  readonly list: string[];
  /** How much of the list is not limits. */
  readonly own: number;
  readonly bodyBytes: number;
}

/** Writes over the limits last sent: Node has read the list when `writeHead` returns. */
function withLimits({ list, own }: Row, limits: readonly string[]): string[] {
  if (list.length > own + limits.length) list.length = own;
  for (let at = 0; at < limits.length; at++) list[own + at] = limits[at] ?? '';
  return list;
}

type Lane = (req: IncomingMessage, res: ServerResponse, method: string) => void;

function createLane(
  endpoint: Endpoint,
  { gate, paidAccess, served, recorder, report }: ReadyAnswersDeps,
): Lane {
  const { path, access } = endpoint;
  // Prebuilt answers bring the same headers again and again: they are put in a row once.
  const rows = new WeakMap<Answer['headers'], Row>();

  return (req, res, method) => {
    const startedMs = performance.now();
    let visitor: Caller | undefined;
    let answer: Answer;
    let message = '';
    let limits: readonly string[] = [];
    try {
      visitor = gate.identify(endpoint, req);
      gate.admit(endpoint, visitor);
      try {
        answer = endpoint.answer(callOf(req, visitor.keyId), visitor.tier);
      } catch (error) {
        answer = answerTo(error);
        message = sentenceOf(error);
      }
      limits = gate.settle(visitor, answer.status);
    } catch (error) {
      answer = answerTo(error, offerAfter(error, endpoint, req, paidAccess?.payments));
      message = sentenceOf(error);
    }
    const { status, headers, body, parts } = answer;
    const row = rows.get(headers) ?? keepRow(headers);
    res.writeHead(status, withLimits(row, limits));
    // Node itself leaves the body out of an answer to HEAD.
    if (parts === undefined) {
      res.end(body);
    } else {
      // Corked, both leave in one piece with the head of the response.
      res.cork();
      res.write(parts.head, 'latin1');
      res.end(parts.tail);
    }
    const ms = performance.now() - startedMs;
    served(path, status, ms);
    recorder.record(
      path,
      method,
      status,
      ms,
      method === 'HEAD' ? 0 : row.bodyBytes,
      visitor?.keyId ?? null,
      message,
    );
  };

  function keepRow(headers: Answer['headers']): Row {
    const list = Object.entries(shownHeaders(access, headers)).flat();
    const row = { list, own: list.length, bodyBytes: Number(headers['Content-Length'] ?? 0) };
    rows.set(headers, row);
    return row;
  }

  function answerTo(error: unknown, offer?: Offer): Answer {
    const refused = refusal(error, offer);
    if (refused === undefined) report(error);
    return refused ?? internalError();
  }
}
