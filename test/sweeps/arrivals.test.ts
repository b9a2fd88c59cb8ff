import assert from 'node:assert/strict';
import { withSeed } from '../support/with-seed.ts';
import { sweepArrivals } from './arrivals.ts';

describe('callers who try to get more than their limit', () => {
  it('never get it in any 3,600 s, over 100,000 arrivals and some kills', async function () {
    this.timeout(120_000);
    await withSeed(async (seed) => {
      const { admitted, kills } = await sweepArrivals({ arrivals: 100_000, seed });
      assert.ok(admitted > 5_000 && kills > 3, `${admitted} let in, ${kills} kills`);
    });
  });
});
