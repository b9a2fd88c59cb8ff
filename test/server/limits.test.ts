import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { proxiesOf } from '../../src/access/client-address.ts';
import { createGate, isCounted } from '../../src/access/gate.ts';
import { demoKeys } from '../../src/access/keys/key-lookup.ts';
import { LIMITS } from '../../src/access/limits/rate-policy.ts';
import { SourceError } from '../../src/errors.ts';
import { HOUR_MS } from '../../streams/internal.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { countersOutput, eventOutput, freshnessOutput, NOON } from '../support/outputs.ts';
import { callEndpoint, withRequired } from './call-endpoint.ts';
import { json, type Running, start } from './start.ts';

const META = '/api/v1/meta/account_a';
const TWEETS = `${META}/tweets`;
const PRO = { 'X-API-Key': 'demo_pro' };
const INTERNAL = { 'X-API-Key': 'demo_internal' };
const HEADERS = [
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

/** Sends many requests over one connection without waiting; resolves to the status of each answer. */
function pipeline(url: string, head: string, count: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)));
    });
    const last = head.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    socket.write(head.repeat(count - 1) + last);
  });
}

describe('limits', () => {
  let running: Running;
  const left = async (path: string, headers: Record<string, string> = {}) => {
    const response = await running.get(path, headers);
    await response.arrayBuffer();
    return response.headers.get('x-ratelimit-remaining');
  };
  const open = async (options: Parameters<typeof start>[0] = {}) => {
    running = await start({ loaded: [eventOutput(), countersOutput()], limits: LIMITS, ...options });
  };
  afterEach(() => running.stop());

  it('lets a caller without a key and a FREE key have 100 requests an hour each, a PRO key 10,000', async () => {
    await open();
    for (const [key, limit] of [
      ['', 100],
      ['X-API-Key: demo_free\r\n', 100],
      ['X-API-Key: demo_pro\r\n', 10_000],
    ] as const) {
      const head = `HEAD ${TWEETS} HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
      const statuses: number[] = [];
      while (statuses.length < limit + 50) statuses.push(...(await pipeline(running.url, head, 1_000)));
      assert.equal(statuses.filter((status) => status === 200).length, limit, key);
      assert.ok(statuses.slice(limit).every((status) => status === 429));
    }
    for (let call = 0; call < 5; call++) assert.equal((await running.get('/api/v1/health')).status, 200);
  });

  it('shows the limit on every answer that counts, and on no other', async () => {
    await open({ limits: { FREE: 1_000, PRO: 1_000, INTERNAL: 1_000 } });
    for (const endpoint of running.app.endpoints) {
      const { headers } = await callEndpoint(
        running,
        { ...endpoint, path: withRequired(endpoint.path) },
        INTERNAL,
      );
      const found = HEADERS.filter((name) => headers.has(name));
      assert.deepEqual(found, isCounted(endpoint) ? HEADERS : [], endpoint.path);
    }
  });

  it('refuses the call after the last one at every endpoint that counts, and at no other', async () => {
    await open({ limits: { FREE: 2, PRO: 2, INTERNAL: 2 } });
    for (const endpoint of running.app.endpoints) {
      // The hour before was of another endpoint.
      running.clock.now += 2 * HOUR_MS;
      running.put(freshnessOutput({}, { seq: 1, at: running.clock.now }));
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) {
        statuses.push(
          (await callEndpoint(running, { ...endpoint, path: withRequired(endpoint.path) }, INTERNAL)).status,
        );
      }
      assert.deepEqual(
        statuses.map((status) => status === 429),
        [false, false, isCounted(endpoint)],
        `${endpoint.path} ${statuses.join()}`,
      );
    }
  });

  it('says in the refusal how long to wait, and admits the caller after that', async () => {
    await open({ limits: { FREE: 1, PRO: 1, INTERNAL: null } });
    assert.equal((await running.get(META)).status, 200);
    running.clock.now += 61_000;
    const refused = await running.get(META);
    assert.equal(refused.status, 429);
    const { detail, ...body } = await json(refused);
    const retryAfter = Number(refused.headers.get('retry-after'));
    const reset = Number(refused.headers.get('x-ratelimit-reset'));
    assert.deepEqual(body, {
      code: 'rate_limited',
      limit: 1,
      remaining: 0,
      reset,
      reset_ts: reset * 1_000,
      retry_after: retryAfter,
      retry_after_ms: retryAfter * 1_000,
    });
    assert.equal(typeof detail, 'string');
    assert.equal(refused.headers.get('ratelimit'), `"free";r=0;t=${retryAfter}`);
    assert.equal(refused.headers.get('cache-control'), 'no-store');
    running.clock.now += retryAfter * 1_000 - 1;
    assert.equal((await running.get(META)).status, 429);
    running.clock.now += 1;
    assert.equal(Math.ceil(running.clock.now / 1_000), reset);
    assert.equal((await running.get(META)).status, 200);
  });

  it('charges nothing for a 304, a 429, a 401, a preflight or a path that is not there', async () => {
    await open();
    const etag = (await running.get(META)).headers.get('etag') ?? '';
    for (let call = 0; call < 150; call++) assert.equal(await left(META, { 'If-None-Match': etag }), '99');
    assert.equal((await running.get('/api/v1/signals/account_a')).status, 401);
    assert.equal((await running.get(TWEETS, { 'X-API-Key': 'nobody' })).status, 401);
    assert.equal((await checkedFetch(running.url + META, { method: 'OPTIONS' })).status, 204);
    assert.equal((await checkedFetch(running.url + META, { method: 'POST' })).status, 405);
    assert.equal((await running.get(`${META}/nothing`)).status, 404);
    assert.equal(await left(META), '98');
  });

  it('charges a HEAD and a fault of the caller like a GET', async () => {
    await open();
    assert.equal(await left(`${TWEETS}?limit=0`), '99');
    const head = await checkedFetch(running.url + META, { method: 'HEAD' });
    assert.equal(head.headers.get('x-ratelimit-remaining'), '98');
    assert.equal(await left('/api/v1/prediction/account_b'), '97');
  });

  it('gives a call back that failed on our side', async () => {
    const positions = { of: () => Promise.reject(new SourceError('SOURCE_TIMEOUT', 'no reply')) };
    await open({ deps: { positions } });
    const path = withRequired('/api/v1/portfolio/account_a');
    const response = await running.get(path, PRO);
    assert.deepEqual([response.status, response.headers.get('x-ratelimit-remaining')], [503, '10000']);
  });

  it('looks at the key before the limit, and at the limit before the parameters', async () => {
    await open({ limits: { FREE: 1, PRO: 1, INTERNAL: null } });
    await running.get(META);
    assert.equal((await running.get(`${TWEETS}?limit=0`)).status, 429);
    assert.equal((await running.get(`${TWEETS}?limit=0`, { 'X-API-Key': 'nobody' })).status, 401);
    assert.equal((await running.get('/api/v1/signals/account_a')).status, 401);
    assert.equal((await running.get('/api/v1/nowhere')).status, 404);
    assert.equal((await checkedFetch(running.url + META, { method: 'DELETE' })).status, 405);
  });

  it('refuses an address after a hundred unknown keys a minute, but not its good keys', async () => {
    await open();
    const codes: unknown[] = [];
    for (let call = 0; call < 102; call++) {
      codes.push((await json(await running.get(TWEETS, { 'X-API-Key': `nobody${call}` }))).code);
    }
    assert.deepEqual(new Set(codes.slice(0, 100)), new Set(['key_invalid']));
    assert.deepEqual(codes.slice(100), ['too_many_bad_keys', 'too_many_bad_keys']);
    assert.equal((await running.get(TWEETS, PRO)).status, 200);
    assert.equal((await running.get(TWEETS)).status, 200);
  });

  it('counts callers behind a trusted proxy by what it forwards, and believes no other', async () => {
    const gateBehind = (networks: readonly string[]) =>
      createGate({ keys: demoKeys(), now: () => NOON, proxies: proxiesOf(networks) });
    await open({ deps: { gate: gateBehind(['127.0.0.0/8']) } });
    assert.equal(await left(META, { 'X-Forwarded-For': '6.6.6.6, 198.51.100.1' }), '99');
    assert.equal(await left(META, { 'X-Forwarded-For': '7.7.7.7, 198.51.100.1' }), '98');
    assert.equal(await left(META, { 'X-Forwarded-For': '198.51.100.2' }), '99');
    await running.stop();
    await open({ deps: { gate: gateBehind(['10.0.0.0/8']) } });
    assert.equal(await left(META, { 'X-Forwarded-For': '198.51.100.1' }), '99');
    assert.equal(await left(META, { 'X-Forwarded-For': '198.51.100.2' }), '98');
  });
});
