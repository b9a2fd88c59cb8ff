import assert from 'node:assert/strict';
import { parseConfig } from '../../src/config/config.ts';
import { followingCost } from '../../src/service/following-cost.ts';
import { liveEndpoints } from '../../src/sources/live.ts';
import { pageLines } from '../support/page-lines.ts';

describe('followingCost', () => {
  const live = liveEndpoints({ postsToken: 'secret' });
  const costOf = (...accounts: readonly object[]) => {
    const config = parseConfig({ flags: {}, env: {}, file: { accounts } });
    const followed = live.accounts.filter(({ id }) => config.accounts.some((account) => account.id === id));
    return followingCost(config, { ...live, accounts: followed });
  };

  it('adds up the requests of all accounts whose timelines are asked', () => {
    const cost = costOf({ id: 'a' }, { id: 'b', polling: { fastestSeconds: 2 } }, { id: 'c' });
    assert.deepEqual(
      cost.accounts.map(({ id, via, requestsPer15Minutes, readsPerPost }) => [
        id,
        via,
        requestsPer15Minutes,
        readsPerPost,
      ]),
      [
        ['a', 'timeline', 900, 15],
        ['b', 'timeline', 450, 15],
        ['c', 'oracle_list', 0, 0],
      ],
    );
    assert.deepEqual([cost.requestsPer15Minutes, cost.limitPer15Minutes], [1_350, 10_000]);
  });

  it('is what the page of the operators says', () => {
    const rows = [1, 2, 10, 60].map((everySeconds) => {
      const cost = costOf({ id: 'a', polling: { fastestSeconds: everySeconds } });
      const fit = Math.floor((cost.limitPer15Minutes ?? 0) / cost.requestsPer15Minutes);
      const figures = [cost.accounts[0]?.requestsPerDay, cost.requestsPer15Minutes, fit];
      const cells = figures.map((figure) => figure?.toLocaleString('en-US'));
      return `| ${[`${everySeconds} s`, ...cells].join(' | ')} |`;
    });
    const page = pageLines('src/service/README.md');
    assert.deepEqual(
      rows.filter((row) => !page.includes(row)),
      [],
    );
  });
});
