import assert from 'node:assert/strict';
import { json, start } from '../../server/start.ts';
import { lagOutput, NOON } from '../../support/outputs.ts';

describe('GET /meta/{account}/lag', () => {
  it('gives the percentiles of the account, and an empty list before there are any', async () => {
    const running = await start({ loaded: [lagOutput({}, { seq: 5 })] });
    try {
      const none = { n: 0, p50_ms: null, p90_ms: null, p99_ms: null };
      assert.deepEqual(await json(await running.get('/api/v1/meta/account_a/lag')), {
        timestamp: NOON,
        data: [
          {
            account: 'account_a',
            seen: { n: 40, p50_ms: 11_500, p90_ms: 13_000, p99_ms: 28_200 },
            oracle: none,
            ui: none,
            as_of: { seq: 5, ts: NOON, ages_ms: { posts: null, oracle: null, ui: null, prices: null } },
          },
        ],
      });
      const other = await json(await running.get('/api/v1/meta/account_b/lag'));
      assert.deepEqual(other, { timestamp: NOON, data: [] });
    } finally {
      await running.stop();
    }
  });
});
