import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import Koa from 'koa';
import { createGate, type Gate } from '../../src/access/gate.ts';
import { demoKeys } from '../../src/access/keys/key-lookup.ts';
import type { UsageRecorder } from '../../src/access/usage/recorder.ts';
import { RequestError } from '../../src/errors.ts';
import { NOON } from '../support/outputs.ts';
import { contentOfEveryEndpoint } from './content.ts';
import { json, type Running, start } from './start.ts';

const PATHS = [
  '/api/v1/accounts',
  '/api/v1/meta/account_a',
  '/api/v1/meta/account_b',
  '/api/v1/meta/crypto',
  '/api/v1/meta/account_a/tweets',
  '/api/v1/meta/account_b/tweets',
  '/api/v1/meta/account_a/lag',
  '/api/v1/meta/account_b/lag',
  '/api/v1/prediction/account_a',
  '/api/v1/prediction/account_b',
  '/api/v1/signals/account_a',
  '/api/v1/signals/account_b',
  '/api/v1/usage/summary',
  '/api/v1/performance/overview',
  '/api/v1/performance/history',
  '/api/v1/performance/calibration',
  '/api/v1/health',
];
const QUERIES = ['', '?', '?limit=3&offset=2', '?limit=0', '?limit=%C2%A05', '?limit=1&limit=x'];
const HEADERS: readonly Record<string, string>[] = [
  {},
  { 'X-API-Key': 'demo_pro' },
  { 'X-API-Key': 'nobody' },
  { 'If-None-Match': '*' },
  { 'If-None-Match': '"x"', Origin: 'https://site.invalid' },
];

const SPELLED = {
  paths: ['/api/v1/meta/account_a/tweets', '/api/v1/prediction/account_a', '/api/v1/signals/account_a'],
  names: ['as_of', 'bankroll', 'limit', 'horizon', 'nothing', ''],
  values: ['', '1', '15', 'x', String(NOON), new Date(NOON).toISOString()],
};
/** A text with some of its characters escaped, in either case. */
const spelled = (texts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...texts), fc.infiniteStream(fc.constantFrom('', 'upper', 'lower')))
    .map(([text, ways]) =>
      Array.from(text, (character) => {
        const way = ways.next().value;
        const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
        if (way === '' || way === undefined) return character;
        return `%${way === 'upper' ? hex.toUpperCase() : hex}`;
      }).join(''),
    );
const spelledPair = fc.oneof(
  fc.tuple(spelled(SPELLED.names), spelled(SPELLED.values)).map(([name, value]) => `${name}=${value}`),
  spelled(SPELLED.names),
  fc.constantFrom('+as_of=1', 'as_of+=1', '%2561s_of=1', '&', '%', '%6', '%zz=1', ';as_of=1'),
);

/** Keeps all that is recorded of a request but its duration. */
function recorderInto(rows: unknown[]): UsageRecorder {
  return {
    record(endpoint, method, status, _ms, bytes, keyId, message) {
      rows.push({ endpoint, method, status, bytes, keyId, message });
    },
  };
}

describe('createReadyAnswers', () => {
  const recorded = { ready: [] as unknown[], koa: [] as unknown[] };
  let running: Running;
  // With counts of its own: both are asked the same, so both have to count the same.
  let twin: Running;
  let koaAlone: { readonly url: string; readonly close: () => void };
  before(async () => {
    const limits = { FREE: 1_000, PRO: 1_000, INTERNAL: null };
    const loaded = contentOfEveryEndpoint();
    running = await start({ loaded, limits, deps: { recorder: recorderInto(recorded.ready) } });
    twin = await start({ loaded, limits, deps: { recorder: recorderInto(recorded.koa) } });
    const server = createServer(Koa.prototype.callback.call(twin.app));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    koaAlone = {
      url: `http://127.0.0.1:${port}`,
      close() {
        server.close();
        server.closeAllConnections();
      },
    };
  });
  after(async () => {
    koaAlone.close();
    await twin.stop();
    await running.stop();
  });

  async function seen(url: string, method: string, headers: Record<string, string>) {
    const response = await fetch(url, { method, headers });
    const body = await response.text();
    // Connection headers are the server's own and the two servers have other limits.
    const own = new Set(['date', 'connection', 'keep-alive']);
    const rest = Array.from(response.headers).filter(([name]) => !own.has(name));
    return { status: response.status, headers: Object.fromEntries(rest), body };
  }

  for (const path of PATHS) {
    it(`answers ${path} exactly as Koa does`, async () => {
      for (const query of path.endsWith('/tweets') ? QUERIES : ['', '?limit=0']) {
        for (const headers of HEADERS) {
          for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
            const ready = await seen(running.url + path + query, method, headers);
            const koa = await seen(koaAlone.url + path + query, method, headers);
            assert.deepEqual(ready, koa, `${method} ${path}${query} ${JSON.stringify(headers)}`);
          }
        }
      }
    });
  }

  it('records exactly what Koa records', () => {
    assert.ok(recorded.ready.length > 0);
    assert.deepEqual(recorded.ready, recorded.koa);
  });

  it('reads a query the same in every spelling, on either way', async () => {
    // As it is sent: `fetch` would change the spelling.
    const answer = (url: string, target: string) =>
      new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
        const { hostname, port } = new URL(url);
        get({ hostname, port, path: target, headers: { 'X-API-Key': 'demo_pro' } }, (res) => {
          let body = '';
          res.setEncoding('utf8').on('data', (chunk) => {
            body += chunk;
          });
          res.on('end', () => resolve({ status: res.statusCode, body }));
        }).on('error', reject);
      });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SPELLED.paths),
        fc.array(spelledPair, { maxLength: 3 }),
        fc.constantFrom('?', '??', '?&', '?=&'),
        fc.constantFrom('', '#', '#as_of=1', '#?as_of=1&'),
        async (path, pairs, start, end) => {
          const query = pairs.join('&');
          const target = `${path}${start}${query}${end}`;
          const plain = `${path}?${new URLSearchParams(start.slice(1) + query)}`;
          const expected = await answer(running.url, plain);
          assert.deepEqual(await answer(running.url, target), expected, target);
          assert.deepEqual(await answer(koaAlone.url, target), expected, target);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a ready answer whose caller has to be admitted elsewhere', () => {
  /** A server whose callers are admitted by `admit` alone. */
  const startWith = (admit: Gate['admit']) => {
    const limits = { FREE: null, PRO: null, INTERNAL: null };
    const gate = createGate({ keys: demoKeys(), limits, now: () => NOON });
    return start({ deps: { gate: { ...gate, admit } } });
  };

  it('ends its connection when the service began to stop meanwhile', async () => {
    const asked = new EventEmitter();
    const running = await startWith(() => {
      asked.emit('asked');
      return once(asked, 'admitted').then(() => undefined);
    });
    try {
      const isAsked = once(asked, 'asked');
      const answer = running.get('/api/v1/performance/overview');
      await isAsked;
      running.app.beginDrain();
      asked.emit('admitted');
      const response = await answer;
      assert.deepEqual([response.status, response.headers.get('connection')], [200, 'close']);
    } finally {
      await running.stop();
    }
  });

  it('is a refusal when asking fails', async () => {
    const running = await startWith(() =>
      Promise.reject(new RequestError(503, 'engine_unavailable', 'nobody answers', { 'Retry-After': '1' })),
    );
    try {
      const response = await running.get('/api/v1/meta/account_a');
      assert.deepEqual([response.status, (await json(response)).code], [503, 'engine_unavailable']);
    } finally {
      await running.stop();
    }
  });
});
