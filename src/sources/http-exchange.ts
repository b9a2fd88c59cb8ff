import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

interface ExchangeInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: 'error';
  readonly signal: AbortSignal;
}

/** What is read of the headers of an answer. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

interface ExchangeAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Decompressed. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The part of `fetch` that sources use. Aborting its signal frees the socket. */
export type HttpExchange = (url: string, init: ExchangeInit) => Promise<ExchangeAnswer>;

/** Many hosts close a connection that is idle for 5 s, and a request that crosses with that is lost. */
const IDLE_MS = 4_000;
export const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_MS } as const;
const REDIRECTS = [301, 302, 303, 307, 308];

const decompress: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
};
const accepted = { 'accept-encoding': Object.keys(decompress).join(', ') };

/**
 * Asks with the HTTP client of Node: `fetch` takes more than twice the CPU for an answer without news, and with many
 * accounts most answers are such. `httpAgent` makes the connections that are not encrypted.
 */
export function createHttpExchange(httpAgent = new http.Agent(AGENT_OPTIONS)): HttpExchange {
  const clients = {
    'http:': { agent: httpAgent, request: http.request },
    'https:': { agent: new https.Agent(AGENT_OPTIONS), request: https.request },
  } as const;
  return (given, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const url = new URL(given);
      const { agent, request } = clients[url.protocol === 'https:' ? 'https:' : 'http:'];
      const exchange = request(url, { agent, method, headers: { ...accepted, ...headers } });
      const stop = () => exchange.destroy(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      exchange.once('close', () => signal.removeEventListener('abort', stop));
      exchange.on('error', reject);
      exchange.once('response', (response) => {
        const status = response.statusCode ?? 0;
        if (REDIRECTS.includes(status)) {
          exchange.destroy(new Error(`an unexpected redirect (${status})`));
          return;
        }
        resolve({
          ok: status >= 200 && status < 300,
          status,
          headers: { get: (name) => headerOf(response, name) },
          body: contentOf(response),
        });
      });
      exchange.end(body);
    });
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.join(', ') : value) ?? null;
}

function contentOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const unpacking = decompress[encoding]?.();
  // Whoever reads it learns of a failure from the stream itself.
  return unpacking === undefined ? response : pipeline(response, unpacking, () => undefined);
}
