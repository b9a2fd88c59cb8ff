import assert from 'node:assert/strict';
import { HOUR_MS, type Output } from '../../../streams/internal.ts';
import { COUNTER_FIELDS } from '../../server/routes/counter-fields.ts';
import { json, type Running, start } from '../../server/start.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
} from '../../support/outputs.ts';

const PATH = '/api/v1/meta/account_a';

describe('GET /meta/{account}', () => {
  let running: Running;
  const begin = async (...loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const eventIds = async (path = PATH) => {
    const { data } = await json(await running.get(path));
    assert.ok(Array.isArray(data));
    return data.map((record) => record.event_id);
  };
  afterEach(() => running.stop());

  it('gives the counters record of spec 2.2 with the additive fields', async () => {
    await begin(
      eventOutput({}, { seq: 3, at: NOON - 5_000 }),
      countersOutput({}, { seq: 8, at: NOON - 1_000 }),
    );
    running.put(freshnessOutput(FRESH_AGES, { seq: 9 }));
    running.clock.now = NOON + 250;

    const response = await running.get(PATH);

    assert.equal(response.status, 200);
    assert.deepEqual(await json(response), {
      timestamp: NOON + 250,
      data: [
        {
          ...COUNTER_FIELDS,
          as_of: {
            seq: 8,
            ts: NOON - 1_000,
            ages_ms: { posts: 650, oracle: 2_250, ui: 3_250, prices: 1_150 },
          },
        },
      ],
    });
  });

  it('shows unknown figures as null, never as 0', async () => {
    const unknown = {
      oracle: null,
      ui: null,
      settlementDelta: null,
      displayDelta: null,
      internalDelta: null,
    };
    await begin(eventOutput(), countersOutput({ ...unknown, stale: ['oracle', 'ui'] }));

    const { data } = await json(await running.get(PATH));

    assert.ok(Array.isArray(data));
    const { market_oracle_counter, real_counter, market_ui_counter, stale, as_of } = data[0];
    assert.deepEqual([market_oracle_counter, real_counter, market_ui_counter], [null, 13, null]);
    assert.deepEqual(
      [data[0].settlement_delta, data[0].display_delta, data[0].internal_delta],
      [null, null, null],
    );
    assert.deepEqual(stale, ['oracle', 'ui']);
    assert.deepEqual(as_of.ages_ms, { posts: null, oracle: null, ui: null, prices: null });
  });

  it('lists an active event that has not been counted yet', async () => {
    await begin(eventOutput({}, { seq: 5 }));
    const { data } = await json(await running.get(PATH));
    assert.ok(Array.isArray(data));
    assert.equal(data[0].real_counter, null);
    assert.equal(data[0].as_of.seq, 5);
  });

  it('names the event as the origin when it changed after the counters', async () => {
    await begin(countersOutput({}, { seq: 4, at: NOON - 9 }), eventOutput({}, { seq: 6, at: NOON - 3 }));
    const { data } = await json(await running.get(PATH));
    assert.ok(Array.isArray(data));
    assert.deepEqual([data[0].as_of.seq, data[0].as_of.ts], [6, NOON - 3]);
  });

  it('lists only active events of the account, by end and then by id', async () => {
    await begin(
      eventOutput({ eventId: 9, endAt: NOON + 2 }),
      eventOutput({ eventId: 10, endAt: NOON + 1 }),
      eventOutput({ eventId: 3, endAt: NOON + 2 }),
      eventOutput({ eventId: 4, phase: 'upcoming' }),
      eventOutput({ eventId: 5, phase: 'ended' }),
      eventOutput({ eventId: 6, phase: 'closed' }),
      eventOutput({ eventId: 7, subject: { type: 'posts', account: 'b' } }),
      eventOutput({
        eventId: 8,
        subject: { type: 'crypto', symbol: 'BTC', kind: 'RANGE', referencePrice: null },
        buckets: [bucket()],
      }),
    );
    assert.deepEqual(await eventIds(), [10, 3, 9]);
    assert.deepEqual(await eventIds('/api/v1/meta/account_b'), [7]);
  });

  it('answers with an empty list when the market has no active event', async () => {
    await begin();
    assert.deepEqual(await json(await running.get(PATH)), { timestamp: NOON, data: [] });
  });

  it('does not take events that were not read yet for none', async () => {
    running = await start({ areEventsKnown: false });
    const unknown = await running.get(PATH);
    assert.deepEqual([unknown.status, unknown.headers.get('retry-after')], [503, '2']);
    assert.equal((await json(unknown)).code, 'events_unknown');

    // One event of the first page is known, and the list goes on.
    running.put(eventOutput({}, { seq: 1 }), countersOutput({}, { seq: 1 }));
    assert.deepEqual(await eventIds(), [1]);
    assert.equal((await running.get('/api/v1/meta/account_b')).status, 503);

    running.put(freshnessOutput({}, { seq: 2 }));
    assert.deepEqual(await eventIds('/api/v1/meta/account_b'), []);
  });

  it('does not know the events any more an hour after their list was read, unless some are still open', async () => {
    await begin(eventOutput(), countersOutput());
    running.clock.now = NOON + HOUR_MS;
    assert.deepEqual(await eventIds('/api/v1/meta/account_b'), []);
    running.clock.now = NOON + HOUR_MS + 1;
    assert.equal((await running.get('/api/v1/meta/account_b')).status, 503);
    assert.deepEqual(await eventIds(), [1]);
  });

  it('says how much of the window was read while the count is not known', async () => {
    await begin(eventOutput(), countersOutput({ real: null, deleted: null, historyPercent: 40 }));
    const { data } = await json(await running.get(PATH));
    assert.ok(Array.isArray(data));
    assert.deepEqual([data[0].real_counter, data[0].history_percent], [null, 40]);
  });

  it('serves a change at once, and drops an event that is no longer active', async () => {
    await begin(eventOutput(), countersOutput());
    assert.deepEqual(await eventIds(), [1]);

    running.put(countersOutput({ real: 14 }, { seq: 2 }));
    const { data } = await json(await running.get(PATH));
    assert.ok(Array.isArray(data));
    assert.equal(data[0].real_counter, 14);

    running.put(eventOutput({ phase: 'ended' }, { seq: 3 }));
    assert.deepEqual(await eventIds(), []);
  });

  it('brings ages up to date with each tick', async () => {
    await begin(eventOutput(), countersOutput());
    for (const age of [100, 1_100]) {
      running.put(freshnessOutput({ 'posts:a': age }, { seq: age }));
      const { data } = await json(await running.get(PATH));
      assert.ok(Array.isArray(data));
      assert.equal(data[0].as_of.ages_ms.posts, age);
    }
  });

  it('ignores a key it does not know', async () => {
    await begin();
    assert.equal((await running.get(PATH, { 'X-API-Key': 'nobody' })).status, 200);
  });
});
