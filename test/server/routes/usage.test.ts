import assert from 'node:assert/strict';
import {
  usageByEndpointRecord,
  usageErrorsRecord,
  usageStatsRecord,
  usageSummaryRecord,
} from '../../../src/contract/records/usage.ts';
import { NOON } from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

const HOUR_S = 3_600;
const NOON_S = NOON / 1_000;
const FULL_HOUR_S = NOON_S - (NOON_S % HOUR_S);
const KEY = { 'X-API-Key': 'demo_internal' };
const PATHS = ['summary', 'by-endpoint?start=0&end=1', 'errors', 'stats'];

describe('GET /usage', () => {
  let server: Running;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server.stop());

  const usage = (path: string, headers: Record<string, string> = KEY) =>
    server.get(`/api/v1/usage/${path}`, headers);
  async function read(path: string): Promise<unknown> {
    const response = await usage(path);
    assert.equal(response.status, 200);
    return response.json();
  }
  const summary = async (query = '') => usageSummaryRecord.strict().parse(await read(`summary${query}`));
  const byEndpoint = async (from: number, to: number) =>
    usageByEndpointRecord.strict().parse(await read(`by-endpoint?start=${from}&end=${to}`));
  const errors = async (query = '') => usageErrorsRecord.strict().parse(await read(`errors${query}`));
  const stats = async () => usageStatsRecord.strict().parse(await read('stats'));

  it('is for INTERNAL keys alone', async () => {
    const codes: Record<string, unknown> = {
      demo_pro: 'tier_too_low',
      demo_free: 'tier_too_low',
      nobody: 'key_invalid',
    };
    for (const path of PATHS) {
      for (const [key, code] of Object.entries(codes)) {
        const response = await usage(path, { 'X-API-Key': key });
        assert.deepEqual([response.status, (await json(response)).code], [401, code]);
      }
      const response = await usage(path, {});
      assert.deepEqual([response.status, (await json(response)).code], [401, 'key_missing']);
    }
  });

  it('sums up requests, errors, time and bytes of the calling key', async () => {
    assert.deepEqual(await summary(), {
      timestamp: NOON,
      key: 'demo-internal',
      days: 7,
      total_requests: 0,
      total_errors: 0,
      error_rate: 0,
      avg_response_time_ms: null,
      total_bandwidth_bytes: 0,
      covered: {
        start: NOON_S + 1 - 7 * 24 * HOUR_S,
        end: NOON_S,
        start_ts: (NOON_S + 1 - 7 * 24 * HOUR_S) * 1_000,
        end_ts: NOON,
      },
    });
    const { record } = server.usage;
    record('/x', 'GET', 200, 1.5, 1_000, 'demo-internal');
    record('/x', 'GET', 429, 0.5, 200, 'demo-internal', 'm');
    record('/x', 'GET', 200, 50, 1_000, 'demo-pro');
    const { total_requests, total_errors, error_rate, total_bandwidth_bytes } = await summary('?days=1');
    // The first summary is in the figures of the second.
    assert.deepEqual([total_requests, total_errors, error_rate], [3, 1, 0.3333]);
    assert.ok(total_bandwidth_bytes > 1_200 && total_bandwidth_bytes < 2_000);
    const { avg_response_time_ms } = await summary();
    assert.ok(avg_response_time_ms !== null && avg_response_time_ms > 0);
  });

  it('counts every request of a key under its route, also those that were refused', async () => {
    await server.get('/api/v1/meta/account_a', KEY);
    await server.get('/api/v1/meta/account_a?x=1', KEY);
    await server.get('/api/v1/meta/account_a/tweets?limit=0', KEY);
    await server.get('/api/v1/health', KEY);
    await fetch(`${server.url}/api/v1/meta/account_a`, { method: 'HEAD', headers: KEY });
    await server.get('/api/v1/meta/account_a');
    await server.get('/api/v1/nowhere/0xabc');
    await server.get('/api/v1/nowhere', KEY);
    await fetch(`${server.url}/api/v1/health`, { method: 'DELETE', headers: KEY });
    const { data } = await byEndpoint(NOON_S, NOON_S + 1);
    assert.deepEqual(
      data.map(({ endpoint, method, requests, errors }) => [method, endpoint, requests, errors]),
      [
        ['GET', '/api/v1/meta/account_a', 2, 0],
        ['DELETE', '/api/v1/health', 1, 1],
        ['GET', '/api/v1/health', 1, 1],
        ['HEAD', '/api/v1/meta/account_a', 1, 0],
        ['GET', '/api/v1/meta/account_a/tweets', 1, 1],
        ['GET', 'unknown', 1, 1],
      ],
    );
    const body = await (await server.get('/api/v1/meta/account_a')).text();
    assert.equal(data[0]?.bandwidth_bytes, 2 * Buffer.byteLength(body));
    assert.equal(data.find(({ method }) => method === 'HEAD')?.bandwidth_bytes, 0);
    const anonymous = server.usage.sum('anonymous', NOON_S, NOON_S + 1).rows;
    assert.deepEqual(
      anonymous.map(({ endpoint, requests, errors }) => [endpoint, requests, errors]),
      [
        ['/api/v1/meta/account_a', 2, 0],
        ['unknown', 1, 1],
      ],
    );
  });

  it('splits by endpoint and method, busiest first, over the span asked for and no more', async () => {
    const { record } = server.usage;
    server.clock.now = NOON - 2 * HOUR_S * 1_000;
    record('/old', 'GET', 200, 1, 1, 'demo-internal');
    server.clock.now = NOON;
    record('/x', 'GET', 200, 1, 10, 'demo-internal');
    record('/x', 'GET', 500, 2, 10, 'demo-internal', 'm');
    record('/y', 'POST', 200, 0.00049, 7, 'demo-internal');
    const { timestamp, data, ...span } = await byEndpoint(NOON_S - 3, NOON_S + 10);
    assert.equal(timestamp, NOON);
    assert.deepEqual(span, {
      start: NOON_S - 3,
      end: NOON_S + 10,
      start_ts: (NOON_S - 3) * 1_000,
      end_ts: (NOON_S + 10) * 1_000,
      covered: { start: NOON_S - 3, end: NOON_S, start_ts: (NOON_S - 3) * 1_000, end_ts: NOON },
    });
    assert.deepEqual(data, [
      {
        endpoint: '/x',
        method: 'GET',
        requests: 2,
        errors: 1,
        error_rate: 0.5,
        avg_response_time_ms: 1.5,
        bandwidth_bytes: 20,
      },
      {
        endpoint: '/y',
        method: 'POST',
        requests: 1,
        errors: 0,
        error_rate: 0,
        avg_response_time_ms: 0,
        bandwidth_bytes: 7,
      },
    ]);
    const old = await byEndpoint(FULL_HOUR_S - 2 * HOUR_S, FULL_HOUR_S - HOUR_S);
    assert.deepEqual(
      old.data.map(({ endpoint }) => endpoint),
      ['/old'],
    );
    assert.deepEqual([old.covered.start, old.covered.end], [old.start, old.end]);
    for (const [from, to] of [
      [NOON_S, NOON_S],
      [NOON_S - 60, NOON_S],
      [NOON_S + 1, NOON_S + 60],
      [NOON_S - HOUR_S, NOON_S - 1],
    ] as const) {
      assert.deepEqual((await byEndpoint(from, to)).data, [], `${from} to ${to}`);
    }
  });

  it('lists the newest errors of the calling key, newest first, without what was sent', async () => {
    await server.get('/api/v1/meta/account_a/tweets?limit=canary', KEY);
    server.clock.now += 10;
    await server.get('/api/v1/usage/errors?limit=0', KEY);
    await server.get('/api/v1/usage/errors', { 'X-API-Key': 'demo_pro' });
    const { timestamp, limit, data } = await errors();
    assert.deepEqual([timestamp, limit], [NOON + 10, 100]);
    assert.deepEqual(
      data.map(({ response_time_ms, message, ...rest }) => rest),
      [
        { endpoint: '/api/v1/usage/errors', method: 'GET', timestamp: NOON + 10, status_code: 422 },
        { endpoint: '/api/v1/meta/account_a/tweets', method: 'GET', timestamp: NOON, status_code: 422 },
      ],
    );
    for (const { response_time_ms, message } of data) {
      assert.ok(response_time_ms >= 0 && message.length > 0 && !message.includes('canary'));
    }
    assert.equal((await errors('?limit=1')).data.length, 1);
  });

  it('shows the state of the buffer and of the tracking', async () => {
    await server.get('/api/v1/health');
    const { timestamp, buffer, tracking } = await stats();
    assert.equal(timestamp, NOON);
    assert.deepEqual(buffer, { size: 1, capacity: 32_768, last_flush_ts: null, dropped: 0 });
    assert.deepEqual(tracking, { enabled: true, flush_interval_ms: 1_000, retention_days: 90 });
    await server.usage.flush();
    assert.deepEqual((await stats()).buffer, { size: 0, capacity: 32_768, last_flush_ts: NOON, dropped: 0 });
  });

  it('refuses parameters that are missing or out of bounds', async () => {
    const between = (min: number, max: number): [number, string][] => [
      [min - 1, 'greater_than_equal'],
      [max + 1, 'less_than_equal'],
    ];
    for (const [days, type] of between(1, 90)) await refuses(`summary?days=${days}`, ['days', type]);
    for (const [limit, type] of between(1, 1_000)) await refuses(`errors?limit=${limit}`, ['limit', type]);
    await refuses('summary?days=1.5', ['days', 'int_parsing']);
    await refuses('by-endpoint', ['start', 'missing'], ['end', 'missing']);
    await refuses('by-endpoint?start=a&end=b', ['start', 'int_parsing'], ['end', 'int_parsing']);
    await refuses('by-endpoint?start=2&end=1', ['end', 'value_error']);
    for (const path of ['summary?days=1', 'summary?days=90', 'errors?limit=1', 'errors?limit=1000']) {
      assert.equal((await usage(path)).status, 200);
    }
    for (const span of ['start=0&end=9007199254740991', 'start=-5&end=0', 'start=1&end=1']) {
      assert.equal((await usage(`by-endpoint?${span}`)).status, 200);
    }
  });

  async function refuses(path: string, ...faults: readonly [string, string][]): Promise<void> {
    const response = await usage(path);
    assert.equal(response.status, 422, path);
    const { detail } = await json(response);
    assert.ok(Array.isArray(detail));
    assert.deepEqual(
      detail.map(({ loc, type }) => [loc, type]),
      faults.map(([name, type]) => [['query', name], type]),
      path,
    );
  }
});
