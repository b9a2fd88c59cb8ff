import assert from 'node:assert/strict';
import { withSeed } from '../support/with-seed.ts';
import { sweepLimitsCluster } from './limits-cluster.ts';
import { sweepPaymentsCluster } from './payments-cluster.ts';

describe('callers of a cluster whose leading engine is replaced', () => {
  it('get no more than their limit over several edges', async function () {
    this.timeout(300_000);
    await withSeed(async (seed) => {
      const { admitted, failOvers } = await sweepLimitsCluster({ seed, seconds: 20, arrivals: 2_500 });
      assert.ok(failOvers > 0, 'an engine was replaced');
      assert.ok((admitted[100] ?? 0) > 100, `${admitted[100]} calls were let in`);
    });
  });

  it('pay once for a payment that is sent many times', async function () {
    this.timeout(300_000);
    await withSeed(async (seed) => {
      const { paid } = await sweepPaymentsCluster(40, seed);
      assert.ok(paid > 0);
    });
  });
});
