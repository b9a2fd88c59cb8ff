import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import type { WorldEvent } from '../../../src/world/market/event.ts';
import { createListedEvents } from '../../../src/world/market/listed-events.ts';
import { createOracleCount } from '../../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { bookOf, createQuotes } from '../../../src/world/market/quotes.ts';
import { createSettlement } from '../../../src/world/market/settlement.ts';
import { createTraderBeliefs } from '../../../src/world/market/trader-beliefs.ts';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

function open() {
  const base = testBase();
  const timeline = createTimeline(base);
  const listedEvents = createListedEvents(base);
  const oracleCount = createOracleCount({ ...base, timeline, sync: createOracleSync(base) });
  const quotes = createQuotes({ ...base, traders: createTraderBeliefs({ ...base, timeline }) });
  return { listedEvents, quotes, settlement: createSettlement({ ...base, oracleCount }) };
}

describe('createQuotes', () => {
  const { listedEvents, quotes, settlement } = open();
  const open$ = (now: number) =>
    listedEvents.listed(now).filter((event) => !settlement.phase(event, now).isClosed);

  it('changes about one bucket a second over all open events', () => {
    const tops = new Map<number, string>();
    let changes = 0;
    const seconds = 300;
    for (let second = 0; second <= seconds; second++) {
      const now = START_AT + second * 1000;
      let inSecond = 0;
      for (const event of open$(now)) {
        for (const market of event.markets) {
          const { bids, asks } = quotes.quote(event, market, now);
          const top = `${bids[0]?.price} ${asks[0]?.price}`;
          const before = tops.get(market.id);
          if (before !== undefined && before !== top) inSecond++;
          tops.set(market.id, top);
        }
      }
      assert.ok(inSecond < 20, String(inSecond));
      changes += inSecond;
    }
    const perSecond = changes / seconds;
    assert.ok(perSecond > 0.4 && perSecond < 2, String(perSecond));
  });

  it('moves prices of both accounts within five minutes, at every hour of a day', () => {
    const topAt = (event: WorldEvent, at: number) =>
      event.markets.map((market) => quotes.past(event, market, at).bids[0]?.price);
    for (let hour = 0; hour < 24; hour++) {
      const now = START_AT + hour * HOUR_MS;
      for (const account of ['a', 'b']) {
        const counted = open$(now).filter(
          ({ subject, startAt }) =>
            subject.type === 'posts' && subject.account.id === account && startAt <= now,
        );
        const moved = counted.filter(
          (event) => !isDeepStrictEqual(topAt(event, now), topAt(event, now + 5 * MINUTE_MS)),
        );
        assert.ok(moved.length > 0, `${account} ${new Date(now).toISOString()}`);
      }
    }
  });

  it('keeps bids below asks, inside 0 to 1, in steps of the tick', () => {
    for (const event of open$(START_AT)) {
      for (const market of event.markets) {
        const quote = quotes.quote(event, market, START_AT);
        for (const outcome of [0, 1] as const) {
          const { bids, asks } = bookOf(quote, outcome);
          for (const { price, size } of [...bids, ...asks]) {
            assert.ok(price >= 1 && price <= 999 && price % quote.tick === 0 && size > 0);
          }
          assert.ok((bids[0]?.price ?? 0) < (asks[0]?.price ?? 1000));
        }
      }
    }
  });

  it('has less on offer the further a price is from the middle', () => {
    const sizes = new Map<number, number[]>();
    for (const event of open$(START_AT)) {
      for (const market of event.markets) {
        const { bids, asks } = quotes.quote(event, market, START_AT);
        for (const side of [bids, asks])
          for (const [place, { size }] of side.entries())
            sizes.set(place, [...(sizes.get(place) ?? []), size / (side[0]?.size ?? 1)]);
      }
    }
    const means = Array.from(sizes.values(), (all) => all.reduce((sum, each) => sum + each, 0) / all.length);
    assert.ok(means.length >= 5);
    for (const [place, mean] of means.entries())
      assert.ok(place === 0 || mean < (means[place - 1] ?? 0), String(means));
  });

  it('is a function of time: another observer sees the same at the same instant', () => {
    const other = open();
    for (const event of open$(START_AT).slice(0, 6)) {
      for (const market of event.markets) {
        const now = START_AT + 12_345_678;
        assert.deepEqual(quotes.past(event, market, now), other.quotes.quote(event, market, now));
      }
    }
  });
});
