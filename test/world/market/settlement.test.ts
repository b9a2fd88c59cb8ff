import assert from 'node:assert/strict';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createListedEvents } from '../../../src/world/market/listed-events.ts';
import { createOracleCount } from '../../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { createSettlement } from '../../../src/world/market/settlement.ts';
import { CRYPTO_SYMBOLS, spotPrice } from '../../../src/world/market/spot-price.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

describe('createSettlement', () => {
  const base = testBase();
  const timeline = createTimeline(base);
  const oracleCount = createOracleCount({ ...base, timeline, sync: createOracleSync(base) });
  const settlement = createSettlement({ ...base, oracleCount });
  const events = createListedEvents(base).listed(START_AT);
  const [btc] = CRYPTO_SYMBOLS;

  it('closes every event within three hours of its end and none before', () => {
    for (const event of events) {
      assert.equal(settlement.phase(event, event.endAt).isClosed, false);
      assert.equal(settlement.phase(event, event.endAt + 3 * HOUR_MS).isClosed, true);
    }
  });

  it('lets Up win when the hour ends at or above its start', () => {
    const hours = events.filter(
      (event) => event.slug.startsWith('btc-up') && event.endAt < START_AT - HOUR_MS,
    );
    assert.ok(hours.length > 20);
    for (const event of hours) {
      const [market] = event.markets;
      assert.ok(market !== undefined);
      const rose = spotPrice(7, btc, event.endAt) >= spotPrice(7, btc, event.startAt);
      assert.equal(settlement.won(event, market, START_AT), rose);
    }
  });

  it('has one winner in a range and a run of winners in a ladder', () => {
    for (const event of events.filter(
      (each) => each.endAt < START_AT - HOUR_MS && each.subject.type === 'crypto',
    )) {
      const won = event.markets.map((market) => settlement.won(event, market, START_AT));
      if (event.slug.startsWith('btc-price')) assert.equal(won.filter(Boolean).length, 1, event.slug);
      if (event.slug.startsWith('btc-above'))
        assert.deepEqual(
          won,
          [...won].sort((left, right) => Number(right) - Number(left)),
        );
    }
  });
});
