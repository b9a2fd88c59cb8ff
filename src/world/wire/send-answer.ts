import type { ServerResponse } from 'node:http';
import {
  type FaultRule,
  withFutureTimes,
  withOddElement,
  withOddPost,
  withOddPrices,
  withShortLists,
  wrongTypes,
} from '../control/faults.ts';
import type { Answer } from './answer.ts';

const PAGE =
  '<!doctype html><html><head><title>Just a moment</title></head><body><h1>502 Bad Gateway</h1></body></html>';
const FILLER = Buffer.from('{"filler":"this element exists to make the body long"},'.repeat(1_200));

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-length': String(bytes.length), ...headers });
  response.end(bytes);
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  send(response, answer.status, { ...JSON_TYPE, ...answer.headers }, JSON.stringify(answer.body));
}

const PIECES = 20;

/** Sends the answer in pieces, each after `wait` has let it; given up when the reader leaves. */
export function dripAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  wait: (act: () => void) => void,
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const size = Math.max(1, Math.ceil(bytes.length / PIECES));
  response.writeHead(status, { ...JSON_TYPE, ...headers, 'content-length': String(bytes.length) });
  const more = (from: number): void => {
    if (response.destroyed) return;
    response.write(bytes.subarray(from, from + size));
    if (from + size < bytes.length) wait(() => more(from + size));
    else response.end();
  };
  wait(() => more(0));
}

function errorBody(rule: FaultRule): unknown {
  const title = rule.status === 429 ? 'Too Many Requests' : 'Internal Server Error';
  if (rule.role === 'posts') return { title, detail: title, type: 'about:blank', status: rule.status };
  return rule.role === 'oracle' ? { success: false, error: title } : { error: title };
}

/** A JSON array of about `bytes`, written no faster than it is read; given up when the reader leaves. */
function sendHuge(response: ServerResponse, bytes: number): void {
  let left = bytes;
  response.writeHead(200, JSON_TYPE);
  response.write('[');
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= FILLER.length;
      if (!response.write(FILLER)) {
        response.once('drain', more);
        return;
      }
    }
    response.end('{}]');
  };
  more();
}

/** Sends the answer with the rule's fault. The caller handles those that concern time: `old`, `slow`, `drip` and `hang`. */
export async function sendFault(
  response: ServerResponse,
  rule: FaultRule,
  answer: () => Promise<Answer>,
): Promise<void> {
  switch (rule.kind) {
    case 'status': {
      const retry = rule.retryAfter === null ? {} : { 'retry-after': rule.retryAfter };
      send(response, rule.status, { ...JSON_TYPE, ...retry }, JSON.stringify(errorBody(rule)));
      return;
    }
    case 'html':
      send(response, rule.status, { 'content-type': 'text/html; charset=utf-8' }, PAGE);
      return;
    case 'truncated': {
      const { status, body, headers } = await answer();
      const text = JSON.stringify(body);
      send(
        response,
        status,
        { ...JSON_TYPE, ...headers },
        text.slice(0, Math.max(1, Math.floor(text.length / 2))),
      );
      return;
    }
    case 'wrong-types': {
      const given = await answer();
      sendAnswer(response, { ...given, body: wrongTypes(given.body) });
      return;
    }
    case 'odd-element': {
      const given = await answer();
      sendAnswer(response, { ...given, body: withOddElement(given.body) });
      return;
    }
    case 'future-post':
    case 'long-id': {
      const given = await answer();
      sendAnswer(response, { ...given, body: withOddPost(given.body, rule.kind) });
      return;
    }
    case 'future-time': {
      const given = await answer();
      sendAnswer(response, { ...given, body: withFutureTimes(given.body) });
      return;
    }
    case 'odd-prices': {
      const given = await answer();
      sendAnswer(response, { ...given, body: withOddPrices(given.body) });
      return;
    }
    case 'short':
    case 'empty': {
      const given = await answer();
      sendAnswer(response, { ...given, body: withShortLists(given.body, rule.kind) });
      return;
    }
    case 'refuse':
      response.socket?.resetAndDestroy();
      return;
    case 'reset': {
      const bytes = Buffer.from(JSON.stringify((await answer()).body));
      response.writeHead(200, { ...JSON_TYPE, 'content-length': String(bytes.length) });
      response.write(bytes.subarray(0, Math.max(1, bytes.length >> 1)), () =>
        response.socket?.resetAndDestroy(),
      );
      return;
    }
    case 'huge':
      sendHuge(response, rule.bytes);
      return;
    case 'old':
    case 'slow':
    case 'drip':
    case 'hang':
      sendAnswer(response, await answer());
  }
}
