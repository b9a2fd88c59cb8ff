import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, bodyBytes, type Endpoint, queryOf } from './answer.ts';
import { withoutCorsHeaders } from './headers.ts';
import { markKeptBody } from './kept-body.ts';
import type { Outcome, RequestProtocol } from './request-protocol.ts';

/** Answers the request and returns true, or a promise when that takes time; or leaves it untouched and returns false. */
export type ReadyAnswers = (req: IncomingMessage, res: ServerResponse) => boolean | Promise<void>;

/**
 * The table in front of Koa, for a GET whose bytes exist already: it saves the cost of a context and a router. The same
 * endpoints are mounted in Koa too. `isLeftToKoa` is true where Koa has another answer to a path with this query.
 */
export function createReadyAnswers(
  protocol: RequestProtocol,
  endpoints: readonly Endpoint[],
  isLeftToKoa: (path: string, query: string) => boolean = () => false,
): ReadyAnswers {
  const table = new Map(
    endpoints.map((endpoint) => [endpoint.path, { endpoint, serve: createServe(protocol, endpoint) }]),
  );
  return (req, res) => {
    const { method, url = '' } = req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const query = url.indexOf('?');
    const found = table.get(query < 0 ? url : url.slice(0, query));
    if (found === undefined) return false;
    const { endpoint, serve } = found;
    if (query >= 0 && isLeftToKoa(endpoint.path, queryOf(url))) return false;
    // A payment takes time, so Koa handles it.
    if (protocol.isSale(endpoint, req)) return false;
    return serve(req, res, method) ?? true;
  };
}

/** Headers in the form that is fastest for Node: names and values in turn. */
interface HeaderList {
  /** The headers of an answer, then those of the last call it was sent to. */
  readonly list: string[];
  /** The length of the list without the headers of a call. */
  readonly ownLength: number;
  readonly bodyBytes: number;
}

/** Overwrites the headers of the last call, as Node has read the list when `writeHead` returns. */
function withCallHeaders({ list, ownLength }: HeaderList, headers: readonly string[]): string[] {
  if (list.length > ownLength + headers.length) list.length = ownLength;
  for (let at = 0; at < headers.length; at++) list[ownLength + at] = headers[at] ?? '';
  return list;
}

type Serve = (req: IncomingMessage, res: ServerResponse, method: string) => Promise<void> | undefined;

function createServe(protocol: RequestProtocol, endpoint: Endpoint): Serve {
  const { path, access } = endpoint;
  // Prebuilt answers have the same headers object each time, so its list is cached.
  const lists = new WeakMap<Answer['headers'], HeaderList>();

  return (req, res, method) => {
    const startedMs = performance.now();
    const outcome = protocol.answerNow(endpoint, req);
    if (outcome instanceof Promise) {
      return outcome
        .catch((error: unknown) => protocol.fail(error, null))
        .then((later) => send(res, method, startedMs, later));
    }
    send(res, method, startedMs, outcome);
    return undefined;
  };

  function send(res: ServerResponse, method: string, startedMs: number, outcome: Outcome): void {
    const { status, headers, body, parts, isKept } = outcome.answer;
    const list = lists.get(headers) ?? keepList(outcome.answer);
    res.writeHead(status, withCallHeaders(list, outcome.callHeaders));
    // Node omits the body of an answer to HEAD.
    if (parts === undefined) {
      res.end(body);
    } else {
      // Corked, so that both parts are sent in one piece with the headers.
      res.cork();
      if (parts.head !== '') res.write(parts.head, 'latin1');
      res.end(parts.tail);
    }
    if (isKept) markKeptBody(res);
    protocol.record(path, method, startedMs, outcome, list.bodyBytes);
  }

  function keepList(answer: Answer<unknown>): HeaderList {
    const { headers } = answer;
    const list = Object.entries(access === 'INTERNAL' ? withoutCorsHeaders(headers) : headers).flat();
    const kept = { list, ownLength: list.length, bodyBytes: bodyBytes(answer) };
    lists.set(headers, kept);
    return kept;
  }
}
