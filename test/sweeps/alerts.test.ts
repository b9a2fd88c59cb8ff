import assert from 'node:assert/strict';
import { withSeed } from '../support/with-seed.ts';
import { sweepAlerts } from './alerts.ts';

describe('alerts of a process that is killed, to a receiver that fails', () => {
  it('come exactly once after de-duplication, and in order', async function () {
    this.timeout(600_000);
    const found = await withSeed((seed) => sweepAlerts({ kills: 3, last: 120, seed }));
    assert.ok(found.alerts > 0);
  });
});
