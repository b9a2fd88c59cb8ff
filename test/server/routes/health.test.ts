import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../streams/internal.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  failureOutput,
  freshnessOutput,
  NOON,
  postOutput,
} from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

describe('GET /health', () => {
  let running: Running;
  const health = async () => {
    const response = await running.get('/api/v1/health');
    const { timestamp, status } = await json(response);
    return { code: response.status, retryAfter: response.headers.get('retry-after'), timestamp, status };
  };
  beforeEach(async () => {
    running = await start();
  });
  afterEach(() => running.stop());

  it('is unavailable with 503 before there is anything to serve', async () => {
    assert.deepEqual(await health(), { code: 503, retryAfter: '5', timestamp: NOON, status: 'unavailable' });
  });

  it('is ok with 200 once every source has answered', async () => {
    running.put(postOutput(), freshnessOutput(FRESH_AGES));
    assert.deepEqual(await health(), { code: 200, retryAfter: null, timestamp: NOON, status: 'ok' });
  });

  it('is starting with 200 until every source has answered, and degraded when one takes too long', async () => {
    const { prices: _, ...others } = FRESH_AGES;
    running.put(postOutput(), freshnessOutput(others));
    const { code, status } = await health();
    assert.deepEqual([code, status], [200, 'starting']);
    running.clock.now = NOON + 15_001;
    running.put(freshnessOutput(others, { seq: 2, at: running.clock.now }));
    assert.equal((await health()).status, 'degraded');
  });

  it('is starting while events are not known or a count is not, and says how much was read', async () => {
    const body = async () => {
      const { timestamp: _, ...others } = await json(await running.get('/api/v1/health'));
      return others;
    };
    const unlisted = { listedAt: { posts: null, crypto: null } };
    running.put(postOutput(), freshnessOutput(FRESH_AGES, {}, unlisted));
    assert.equal((await health()).status, 'starting');
    const reading = countersOutput({ real: null, historyPercent: 40 }, { seq: 2 });
    running.put(eventOutput({}, { seq: 2 }), reading, freshnessOutput(FRESH_AGES, { seq: 2 }));
    const percents = { account_a: 40, account_b: 100 };
    assert.deepEqual(await body(), {
      status: 'starting',
      history_percent: percents,
      stale: [],
      refusing: [],
    });
    running.put(countersOutput({}, { seq: 3 }));
    assert.deepEqual(await body(), {
      status: 'ok',
      history_percent: { account_a: 100, account_b: 100 },
      stale: [],
      refusing: [],
    });
    // Nothing more can be read of it, so nothing is awaited.
    running.put(countersOutput({ real: null, historyPercent: null }, { seq: 4 }));
    assert.equal((await health()).status, 'ok');
  });

  it('names the sources past their limit, and is degraded with old spot prices', async () => {
    const stale = ['posts:b', 'crypto'];
    running.put(postOutput(), freshnessOutput({ ...FRESH_AGES, crypto: 60_001 }, {}, { stale }));
    const { status, stale: named } = await json(await running.get('/api/v1/health'));
    assert.deepEqual([status, named], ['degraded', ['posts/account_b', 'crypto']]);
  });

  it('is degraded once the ticks have stopped for as long as a source may be silent', async () => {
    running.put(postOutput(), freshnessOutput({ ...FRESH_AGES, prices: 14_000 }));
    running.clock.now = NOON + 1_000;
    assert.equal((await health()).status, 'ok');
    running.clock.now = NOON + 1_001;
    assert.equal((await health()).status, 'degraded');
    running.clock.now = NOON - HOUR_MS;
    assert.equal((await health()).status, 'ok');
  });

  it('is degraded when the store takes no writes or an actor has failed', async () => {
    running.put(postOutput(), freshnessOutput(FRESH_AGES));
    running.store.state = 'read_only';
    assert.equal((await health()).status, 'degraded');
    running.store.state = 'open';
    running.put(failureOutput({}, { seq: 2 }));
    assert.equal((await health()).status, 'degraded');
  });

  it('is unavailable while draining', async () => {
    running.put(postOutput(), freshnessOutput(FRESH_AGES));
    running.app.beginDrain();
    assert.deepEqual(await health(), { code: 503, retryAfter: '5', timestamp: NOON, status: 'unavailable' });
  });
});
