import assert from 'node:assert/strict';
import { NOON, postOutput } from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

describe('GET /livez, /readyz and /metrics', () => {
  let running: Running;
  const ask = async (path: string) => {
    const response = await running.get(path);
    return [response.status, (await json(response)).status];
  };
  beforeEach(async () => {
    running = await start();
  });
  afterEach(() => running.stop());

  it('is alive whatever the sources do', async () => {
    running.store.state = 'closed';
    assert.deepEqual(await ask('/livez'), [200, 'alive']);
  });

  it('is ready once every account has something to show', async () => {
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready']);
    running.put(postOutput());
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready']);
    running.put(postOutput({ account: 'b' }, { seq: 2 }));
    assert.deepEqual(await ask('/readyz'), [200, 'ready']);
  });

  it('is ready 10 s after the start with nothing to show', async () => {
    running.clock.now = NOON + 9_999;
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready']);
    running.clock.now = NOON + 10_000;
    assert.deepEqual(await ask('/readyz'), [200, 'ready']);
  });

  it('is not ready with the store closed, nor while draining', async () => {
    running.clock.now = NOON + 10_000;
    running.store.state = 'closed';
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready']);
    running.store.state = 'read_only';
    assert.deepEqual(await ask('/readyz'), [200, 'ready']);
    running.app.beginDrain();
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready']);
  });

  it('offers metrics as text, to no other site', async () => {
    const response = await running.get('/metrics', { 'X-API-Key': 'demo_internal' });
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.match(await response.text(), /^process_cpu_seconds_total /m);
  });

  it('shows metrics to nobody without a key of the operator', async () => {
    for (const key of ['', 'demo_free', 'demo_pro', 'nobody']) {
      const response = await running.get('/metrics', { 'X-API-Key': key });
      assert.equal(response.status, 401, key);
      assert.doesNotMatch(await response.text(), /process_/);
    }
  });
});
