import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { UsageRecorder } from '../../src/access/usage/recorder.ts';
import { contentOfEveryEndpoint } from './content.ts';
import { type Running, start } from './start.ts';

const PATHS = [
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
});
