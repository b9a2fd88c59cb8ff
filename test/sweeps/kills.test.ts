import { sweepKills } from './kills.ts';

describe('an engine killed at random instants', () => {
  it('loses nothing it showed and verifies after each of 50 kills', async function () {
    this.timeout(600_000);
    await sweepKills({ kills: 50, random: Math.random, copyEvery: 10, historyDays: 3, report: () => {} });
  });
});
