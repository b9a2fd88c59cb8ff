import { withSeed } from '../support/with-seed.ts';
import { sweepKills } from './kills.ts';

describe('an engine killed at random instants', () => {
  it('loses nothing it showed and verifies after each of 3 kills', async function () {
    this.timeout(600_000);
    await withSeed((seed) => sweepKills({ kills: 3, seed, copyEvery: 3, historyDays: 3, report: () => {} }));
  });
});
