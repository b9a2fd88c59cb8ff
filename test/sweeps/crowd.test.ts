import assert from 'node:assert/strict';
import { sweepCrowd } from './crowd.ts';

describe('a crowd that comes to the feed at the same moment', () => {
  it('gets in, misses no frame, and is not slowed by readers that never read', async function () {
    this.timeout(180_000);
    const sweep = { readers: 100, stalled: 10, seconds: 3, historyDays: 3, report: () => {} };
    const { before, beside } = await sweepCrowd(sweep);
    assert.equal(before.gaps, 0);
    assert.equal(beside.open, sweep.readers);
  });
});
