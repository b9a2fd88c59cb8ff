import assert from 'node:assert/strict';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import type { WorldEvent } from '../../../src/world/market/event.ts';
import { createListedEvents } from '../../../src/world/market/listed-events.ts';
import { createOracleCount } from '../../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { createQuotes } from '../../../src/world/market/quotes.ts';
import { createSettlement } from '../../../src/world/market/settlement.ts';
import { createTraderBeliefs } from '../../../src/world/market/trader-beliefs.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

interface Priced {
  /** What the winner cost a day before the close, as a share of what all buckets cost. */
  readonly ofWinner: number;
  readonly isWinnerCheap: boolean;
  readonly ofFavourite: number;
  readonly isFavouriteWon: boolean;
}

/** The prices of every settled event of an account, 24 h before its close. */
function pricedEvents(seed: number, account: string): readonly Priced[] {
  const base = testBase(seed);
  const timeline = createTimeline(base);
  const oracleCount = createOracleCount({ ...base, timeline, sync: createOracleSync(base) });
  const settlement = createSettlement({ ...base, oracleCount });
  const quotes = createQuotes({ ...base, traders: createTraderBeliefs({ ...base, timeline }) });
  const isSettled = (event: WorldEvent) =>
    event.subject.type === 'posts' &&
    event.subject.account.id === account &&
    settlement.phase(event, START_AT).isClosed;
  return createListedEvents(base)
    .listed(START_AT)
    .filter(isSettled)
    .map((event) => {
      const prices = event.markets.map((market) => {
        const { bids, asks } = quotes.past(event, market, event.endAt - 24 * HOUR_MS);
        return ((bids[0]?.price ?? 0) + (asks[0]?.price ?? 1_000)) / 2_000;
      });
      const sum = prices.reduce((total, price) => total + price, 0);
      const won = event.markets.findIndex((market) => settlement.won(event, market, START_AT));
      const favourite = prices.indexOf(Math.max(...prices));
      return {
        ofWinner: (prices[won] ?? 0) / sum,
        isWinnerCheap: (prices[won] ?? 0) < 0.01,
        ofFavourite: (prices[favourite] ?? 0) / sum,
        isFavouriteWon: favourite === won,
      };
    });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the crowd', () => {
  for (const [account, mostLogLoss] of [
    ['a', 2.1],
    ['b', 1.6],
  ] as const) {
    it(`is a decent judge of ${account}: seldom surprised, and about as sure as it may be`, () => {
      const priced = [1, 2].flatMap((seed) => pricedEvents(seed, account));
      assert.ok(priced.length > 100);
      const logLoss = mean(priced.map(({ ofWinner }) => -Math.log(ofWinner)));
      assert.ok(logLoss < mostLogLoss, String(logLoss));
      assert.ok(mean(priced.map(({ isWinnerCheap }) => Number(isWinnerCheap))) < 0.05);
      const gap =
        mean(priced.map(({ ofFavourite }) => ofFavourite)) -
        mean(priced.map(({ isFavouriteWon }) => Number(isFavouriteWon)));
      assert.ok(Math.abs(gap) < 0.12, String(gap));
    });
  }
});
