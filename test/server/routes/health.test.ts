import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../streams/internal.ts';
import { FRESH_AGES, failureOutput, freshnessOutput, NOON, postOutput } from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

describe('GET /health', () => {
  let running: Running;
  const health = async () => {
    const response = await running.get('/api/v1/health');
    const { timestamp, status, ...others } = await json(response);
    assert.deepEqual(others, {});
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

  it('is degraded with 200 while a source has never answered', async () => {
    const { prices: _, ...others } = FRESH_AGES;
    running.put(postOutput(), freshnessOutput(others));
    const { code, status } = await health();
    assert.deepEqual([code, status], [200, 'degraded']);
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
