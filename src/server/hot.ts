import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../access/gate.ts';
import { type Answer, callOf, type Endpoint } from './answer.ts';
import { internalError, refusal } from './error-answer.ts';

export interface HotDeps {
  readonly endpoints: readonly Endpoint[];
  readonly gate: Gate;
  readonly served: (route: string, status: number, ms: number) => void;
  /** Told of every error that is a bug of ours. */
  readonly report: (error: unknown) => void;
}

/** Answers the request and returns true, or leaves it untouched and returns false. */
export type HotHandler = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * The table in front of Koa: a GET whose bytes exist already does not pay for a context, a router and a
 * body to be looked at. The same endpoints are mounted in Koa, so what is left out here is only cost.
 */
export function createHotHandler({ endpoints, gate, served, report }: HotDeps): HotHandler {
  const table = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
  return (req, res) => {
    const { method, url = '' } = req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const query = url.indexOf('?');
    const endpoint = table.get(query < 0 ? url : url.slice(0, query));
    if (endpoint === undefined) return false;

    const startedMs = performance.now();
    const { status, headers, body } = settle(gate, endpoint, req, report);
    res.writeHead(status, headers);
    // Node itself leaves the body out of an answer to HEAD.
    res.end(body);
    served(endpoint.path, status, performance.now() - startedMs);
    return true;
  };
}

function settle(
  gate: Gate,
  endpoint: Endpoint,
  req: IncomingMessage,
  report: (error: unknown) => void,
): Answer {
  try {
    const call = callOf(req);
    return endpoint.answer(call, gate.admit(endpoint.access, call.key));
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) report(error);
    return refused ?? internalError();
  }
}
