import assert from 'node:assert/strict';
import { pino } from 'pino';
import WebSocket from 'ws';
import { createGate } from '../../src/access/gate.ts';
import { demoKeys } from '../../src/access/keys/key-lookup.ts';
import { createUsageTracking } from '../../src/access/usage/tracking.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { startServer } from '../../src/service/server.ts';
import { createShutdown, type Shutdown } from '../../src/service/shutdown.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import { manualClock } from '../support/clock.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { eventOutput, freshnessOutput, NOON, signalsOutput } from '../support/outputs.ts';

const ENGINE: Engine = {
  sources: () => [],
  writesHeldMs: () => 0,
  logAheadMs: () => 0,
  stop: async () => undefined,
};
const PRO = { headers: { 'X-API-Key': 'demo_pro' } };

describe('the server of an engine that recovers', () => {
  let url: string;
  let whole: Promise<void>;
  let latest: LatestWriter;
  let open: (engine: Engine) => void;
  let fail: (error: Error) => void;
  let shutdown: Shutdown;
  const statusOf = async (path: string) => (await fetch(url + path, PRO)).status;

  beforeEach(async () => {
    const clock = manualClock(NOON);
    const store = createMemoryStore();
    latest = createLatest();
    const other = eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } });
    latest.load([eventOutput(), other, freshnessOutput({})]);
    shutdown = createShutdown();
    const report = (error: unknown) => assert.fail(String(error));
    const usage = createUsageTracking({ store: store.usage, now: clock.wall, retentionDays: 90, report });
    ({ url, whole } = await startServer(
      {
        config: parseConfig({ flags: { port: '0' }, env: {} }),
        store,
        latest,
        clock,
        clockFault: () => undefined,
        engine: new Promise((resolve, reject) => {
          open = resolve;
          fail = reject;
        }),
        gate: createGate({
          keys: demoKeys(),
          limits: { FREE: null, PRO: null, INTERNAL: null },
          now: clock.wall,
        }),
        payments: undefined,
        recorder: usage,
        usage,
        waitlist: store.waitlist,
        positions: { of: async () => [] },
        metrics: createMetrics(),
        repairedAt: 0,
        isDemo: true,
        log: pino({ level: 'silent' }),
      },
      shutdown,
    ));
  });
  afterEach(async () => {
    await whole.catch(() => undefined);
    await shutdown.run();
  });

  it('serves what is stored, refuses what is not, and is not ready', async () => {
    assert.equal(await statusOf('/api/v1/meta/account_a'), 200);
    assert.equal(await statusOf('/api/v1/performance/overview'), 200);
    for (const path of [
      'signals/account_a',
      'prediction/account_a',
      'portfolio/account_a?wallet=x',
      'feed',
    ]) {
      const refused = await fetch(`${url}/api/v1/${path}`, PRO);
      assert.equal(refused.status, 503, path);
      assert.equal(refused.headers.get('retry-after'), '5');
      assert.match(await refused.text(), /"code":"starting"/);
    }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`);
    const refusal = await new Promise<string>((resolve) =>
      socket.on('error', ({ message }) => resolve(message)),
    );
    assert.match(refusal, /503/);
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /it reads its own log/);
    const health = (await (await fetch(`${url}/api/v1/health`)).json()) as { status: string };
    assert.notEqual(health.status, 'ok');
    open(ENGINE);
  });

  it('serves everything once the engine is open', async () => {
    latest.apply([signalsOutput()], 2, NOON);
    open(ENGINE);
    await whole;
    assert.equal(await statusOf('/api/v1/signals/account_a'), 200);
    assert.equal(await statusOf('/api/v1/prediction/account_a'), 200);
    assert.equal(await statusOf('/api/v1/feed'), 426);
    assert.equal(await statusOf('/readyz'), 200);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.terminate();
  });

  it('tells when the engine does not open', async () => {
    fail(new Error('damaged'));
    await assert.rejects(whole, /damaged/);
    assert.equal(await statusOf('/api/v1/signals/account_a'), 503);
  });
});
