import assert from 'node:assert/strict';
import type { EventRecord, Output } from '../../../streams/internal.ts';
import { json, type Running, start } from '../../server/start.ts';
import {
  bucket,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  priceOutput,
  spotOutput,
} from '../../support/outputs.ts';

const PATH = '/api/v1/meta/crypto';
const upDown: Partial<EventRecord> = {
  eventId: 7,
  slug: 'up-or-down',
  title: 'Up or down',
  image: 'https://market.invalid/c.png',
  subject: { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: 64_999.5 },
  startAt: NOON - 300_000,
  endAt: NOON + 90_500,
  buckets: [
    bucket({ title: 'Up', lo: null, hi: null, yesToken: 'yes-up' }),
    bucket({ title: 'Down', lo: null, hi: null, yesToken: 'yes-down' }),
  ],
};

describe('GET /meta/crypto', () => {
  let running: Running;
  const begin = async (...loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const first = async () => {
    const { data } = await json(await running.get(PATH));
    assert.ok(Array.isArray(data));
    return data[0];
  };
  afterEach(() => running.stop());

  it('gives each active crypto event with its spot, reference and market prices', async () => {
    await begin(
      eventOutput(upDown, { seq: 2 }),
      spotOutput({}, { seq: 4, at: NOON - 200 }),
      priceOutput({ price: 0.123456 }, { seq: 3 }),
      eventOutput(),
    );
    running.put(freshnessOutput(FRESH_AGES, { seq: 5 }));

    assert.deepEqual(await json(await running.get(PATH)), {
      timestamp: NOON,
      data: [
        {
          event_id: 7,
          event_title: 'Up or down',
          event_slug: 'up-or-down',
          image: 'https://market.invalid/c.png',
          symbol: 'BTC',
          kind: 'UP_DOWN',
          start_ts: NOON - 300_000,
          end_ts: NOON + 90_500,
          seconds_remaining: 90,
          spot_price: 65_000.123456,
          spot_ts: NOON - 250,
          reference_price: 64_999.5,
          markets: [
            { title: 'Up', token_id: 'yes-up', market_price: 0.1235, price_ts: NOON - 500 },
            { title: 'Down', token_id: 'yes-down', market_price: null, price_ts: null },
          ],
          stale: [],
          as_of: {
            seq: 4,
            ts: NOON - 200,
            ages_ms: { posts: null, oracle: null, ui: null, prices: 900, events: 20_000, crypto: 300 },
          },
        },
      ],
    });
  });

  it('shows null for a spot price it has not seen', async () => {
    await begin(eventOutput(upDown));
    const { spot_price, spot_ts } = await first();
    assert.deepEqual([spot_price, spot_ts], [null, null]);
  });

  it('names the inputs that are past their limit, even without a tick, and changes its tag', async () => {
    await begin(eventOutput(upDown), spotOutput(), freshnessOutput({ ...FRESH_AGES, crypto: 58_500 }));
    const before = await running.get(PATH);
    running.clock.now = NOON + 1_501;
    const after = await running.get(PATH, { 'If-None-Match': before.headers.get('etag') ?? '' });
    assert.equal(after.status, 200);
    const { data } = await json(after);
    assert.ok(Array.isArray(data));
    assert.deepEqual(data[0].stale, ['crypto']);
    assert.equal(data[0].as_of.ages_ms.crypto, 60_001);
    running.clock.now = NOON + 200_000;
    assert.deepEqual((await first()).stale, ['prices', 'events', 'crypto']);
  });

  it('names an input that never answered', async () => {
    const { crypto: _, ...others } = FRESH_AGES;
    await begin(eventOutput(upDown), freshnessOutput(others, {}, { stale: ['crypto'] }));
    const { stale, as_of } = await first();
    assert.deepEqual([stale, as_of.ages_ms.crypto], [['crypto'], null]);
  });

  it('does not take events that were not read yet for none', async () => {
    const listedAt = { posts: NOON, crypto: null };
    await begin(freshnessOutput(FRESH_AGES, {}, { listedAt }));
    const response = await running.get(PATH);
    assert.deepEqual([response.status, (await json(response)).code], [503, 'events_unknown']);
    assert.equal((await running.get('/api/v1/meta/account_a')).status, 200);
  });

  it('counts the time left down with the ticks, never below 0', async () => {
    await begin(eventOutput(upDown));
    const left: unknown[] = [];
    for (const passedMs of [0, 1_000, 90_000, 95_000]) {
      running.clock.now = NOON + passedMs;
      running.put(freshnessOutput({}, { seq: passedMs + 2, at: running.clock.now }));
      left.push((await first()).seconds_remaining);
    }
    assert.deepEqual(left, [90, 89, 0, 0]);
  });

  it('follows spot and market prices, and its tag moves with them alone', async () => {
    await begin(eventOutput(upDown), eventOutput());
    const tag = async () => (await running.get(PATH)).headers.get('etag');
    const before = await tag();

    running.put(priceOutput({ eventId: 1, token: 'yes-1' }, { seq: 2 }));
    running.put(freshnessOutput({}, { seq: 3 }));
    assert.equal(await tag(), before);

    running.put(spotOutput({ price: 3 }, { seq: 4 }));
    const afterSpot = await tag();
    assert.notEqual(afterSpot, before);
    assert.equal((await first()).spot_price, 3);

    running.put(priceOutput({ price: 0.5 }, { seq: 5 }));
    assert.notEqual(await tag(), afterSpot);
    assert.equal((await first()).markets[0].market_price, 0.5);
  });
});
