import assert from 'node:assert/strict';
import { createSteering } from '../../../src/world/control/steering.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createCatalog } from '../../../src/world/market/catalog.ts';
import { createLifecycle } from '../../../src/world/market/lifecycle.ts';
import { CRYPTO_SYMBOLS, spotPrice } from '../../../src/world/market/spot.ts';
import { createSync } from '../../../src/world/market/sync.ts';
import { createTally } from '../../../src/world/market/tally.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { START_AT } from '../open.ts';

describe('createLifecycle', () => {
  const base = { seed: 7, startAt: START_AT, steering: createSteering() };
  const timeline = createTimeline(base);
  const tally = createTally({ ...base, timeline, sync: createSync(base) });
  const lifecycle = createLifecycle({ ...base, tally });
  const events = createCatalog(base).listed(START_AT);
  const [btc] = CRYPTO_SYMBOLS;

  it('closes every event within three hours of its end and none before', () => {
    for (const event of events) {
      assert.equal(lifecycle.phase(event, event.endAt).isClosed, false);
      assert.equal(lifecycle.phase(event, event.endAt + 3 * HOUR_MS).isClosed, true);
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
      assert.equal(lifecycle.won(event, market, START_AT), rose);
    }
  });

  it('has one winner in a range and a run of winners in a ladder', () => {
    for (const event of events.filter(
      (each) => each.endAt < START_AT - HOUR_MS && each.subject.type === 'crypto',
    )) {
      const won = event.markets.map((market) => lifecycle.won(event, market, START_AT));
      if (event.slug.startsWith('btc-price')) assert.equal(won.filter(Boolean).length, 1, event.slug);
      if (event.slug.startsWith('btc-above'))
        assert.deepEqual(
          won,
          [...won].sort((left, right) => Number(right) - Number(left)),
        );
    }
  });
});
