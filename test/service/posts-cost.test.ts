import assert from 'node:assert/strict';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { type PollingEntry, toPolling } from '../../src/config/polling.ts';
import { tellCost } from '../../src/service/posts-cost.ts';
import type { Endpoints } from '../../src/sources/endpoints.ts';
import { liveEndpoints } from '../../src/sources/live.ts';
import { createLatest } from '../../src/views/latest.ts';
import { DAY_MS } from '../../streams/internal.ts';
import { NOON, postOutput } from '../support/outputs.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly account?: string;
  readonly postsPerDay?: number | null;
  readonly usdPerDay?: number | null;
  readonly usdPer100Posts?: number;
  readonly requestsPerDay?: number;
  readonly fewestRequestsPerDay?: number;
  readonly readsPerMonth?: number | null;
  readonly accounts?: readonly string[];
  readonly requestsPer15Minutes?: number;
  readonly limit?: number;
  readonly countSeconds?: number;
  readonly staleSeconds?: number;
}

const LIVE = liveEndpoints({ postsToken: 'secret' });

const LISTED_A: Endpoints = {
  ...LIVE,
  accounts: LIVE.accounts.map((each) => (each.id === 'a' ? { ...each, postsFrom: 'oracle_list' } : each)),
};

describe('tellCost', () => {
  /** What is logged of an account A that made `posts` posts in its last week. */
  function told(
    flags: Record<string, string>,
    posts = 0,
    endpoints: Endpoints = LIVE,
    pollingOfA: PollingEntry = {},
  ): readonly Line[] {
    const lines: Line[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const latest = createLatest();
    latest.load(
      Array.from({ length: posts }, (_, index) =>
        postOutput({ id: String(index + 1), createdAt: NOON - (index * 6 * DAY_MS) / posts }),
      ),
    );
    latest.load([postOutput({ account: 'b', id: '9', createdAt: NOON - 20 * DAY_MS })]);
    const parsed = parseConfig({ flags, env: {} });
    const accounts = parsed.accounts.map((account) =>
      account.id === 'a' ? { ...account, polling: toPolling(pollingOfA, parsed.posts.periodMs) } : account,
    );
    const config = { ...parsed, accounts };
    tellCost({ config, endpoints, latest, clock: { wall: () => NOON, mono: () => 0 }, log });
    return lines;
  }

  it('tells for each account what its posts a day will cost at the price that is set', () => {
    const [a, b, ...rest] = told({ postsReadPrice: '5' }, 560);
    assert.deepEqual(rest, []);
    assert.deepEqual([a?.account, a?.postsPerDay, a?.requestsPerDay], ['account_a', 80, 86_400]);
    assert.equal(a?.usdPerDay, 6);
    assert.deepEqual([b?.account, b?.postsPerDay, b?.usdPerDay], ['account_b', 0, 0]);
    assert.equal(told({ postsReadPrice: '10' }, 560)[0]?.usdPerDay, 12);
  });

  it('tells the price of a hundred posts while it does not know how many there are', () => {
    const [a] = told({});
    assert.deepEqual([a?.postsPerDay, a?.usdPerDay, a?.usdPer100Posts], [null, null, 7.5]);
  });

  it('tells what a month reads at most', () => {
    assert.equal(told({}, 560)[0]?.readsPerMonth, 30 * 80 * 15);
  });

  it('warns that the oracle’s list is late when posts are read from it, which costs nothing', () => {
    const lines = told({}, 0, { ...LIVE, postsApi: null });
    assert.deepEqual(
      lines.map(({ level, msg, accounts }) => [level, msg, accounts]),
      [
        [
          40,
          "posts are read from the oracle's list, which is free but minutes late",
          ['account_a', 'account_b'],
        ],
      ],
    );
  });

  it('tells both where some accounts are read from the list and others on their timelines', () => {
    const [warning, cost, ...rest] = told({}, 0, LISTED_A);
    assert.deepEqual(rest, []);
    assert.deepEqual(warning?.accounts, ['account_a']);
    assert.equal(cost?.account, 'account_b');
  });

  it('tells the most and the fewest requests of an account that is polled now faster, now slower', () => {
    const [a, b] = told({}, 0, LIVE, { fastestSeconds: 2, usualSeconds: 10, slowestSeconds: 60 });
    assert.deepEqual([a?.requestsPerDay, a?.fewestRequestsPerDay], [43_200, 1_440]);
    assert.deepEqual([b?.requestsPerDay, b?.fewestRequestsPerDay], [86_400, undefined]);
  });

  it('warns when the counts of so many accounts are stale before the oracle can be asked again', () => {
    const slow = (gapMs: number) =>
      told({}, 0, { ...LIVE, oracle: { ...LIVE.oracle, gapMs } }).filter(({ level }) => level === 40);
    assert.deepEqual(slow(10_000), []);
    assert.deepEqual(
      slow(20_000).map(({ countSeconds, staleSeconds }) => [countSeconds, staleSeconds]),
      [[1_440, 900]],
    );
  });

  it('warns when all accounts together may need more requests than the posts API allows', () => {
    const limited = (timeline: number) => {
      const postsApi = { ...LIVE.postsApi, limits: { timeline, lookup: 1 } };
      return told({}, 0, { ...LIVE, postsApi }).filter(({ level }) => level === 40);
    };
    assert.deepEqual(limited(1_800), []);
    assert.deepEqual(
      limited(1_799).map(({ requestsPer15Minutes, limit }) => [requestsPer15Minutes, limit]),
      [[1_800, 1_799]],
    );
  });
});
