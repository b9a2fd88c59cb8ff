import assert from 'node:assert/strict';
import { withSeed } from '../support/with-seed.ts';
import { sweepSettlements } from './settlements.ts';

describe('a service whose world deletes, stalls, back-fills and settles', () => {
  it('says nothing that the world contradicts', async function () {
    this.timeout(600_000);
    const sample = { rounds: 1, historyDays: 30, seconds: 10, report: () => {} };
    const figures = await withSeed((seed) => sweepSettlements({ ...sample, seed }));
    assert.ok(figures.events > 0 && figures.forecasts > 0 && figures.readings > 0);
  });
});
