import { sweepKills } from './kills.ts';

describe('an engine killed at random instants', () => {
  it('loses nothing it showed and verifies after each of 15 kills', async function () {
    this.timeout(600_000);
    await sweepKills({ kills: 15, random: Math.random, copyEvery: 5, historyDays: 3, report: () => {} });
  });
});
