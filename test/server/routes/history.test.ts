import assert from 'node:assert/strict';
import { createLatest } from '../../../src/views/latest.ts';
import { openPast } from '../../../src/views/past.ts';
import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import {
  bucket,
  eventOutput,
  freshnessOutput,
  minuteBucket,
  minuteOutput,
  NOON,
} from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

const PATH = '/api/v1/history/account_a/1';
const PRO = { 'X-API-Key': 'demo_pro' };
const BUCKETS = [bucket(), bucket({ title: '20+', lo: 20, hi: null, yesToken: 'yes-2' })];
/** The account has a minute each minute before noon, this many. */
const MINUTES = 2_000;
const at = (minute: number) => NOON - (MINUTES - minute) * MINUTE_MS;

describe('GET /history/{account}/{event}', () => {
  let running: Running;
  before(async () => {
    const store = createMemoryStore();
    const latest = createLatest();
    const event = eventOutput({ buckets: BUCKETS, startAt: NOON - 2 * DAY_MS });
    latest.load([event, eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } })]);
    latest.load([freshnessOutput({}, { seq: 0 })]);
    for (let seq = 1; seq < MINUTES; seq++) {
      await store.journal.append([{ seq, receivedAt: at(seq), fact: { kind: 'tick', ages: {} } }]);
      const buckets = [minuteBucket({ bid: seq / 10_000 }), minuteBucket({ lo: 20, hi: null, prob: null })];
      const minute = minuteOutput({ at: at(seq), buckets }, { seq });
      await store.outputs.append([minute], seq);
      latest.apply([minute], seq, at(seq));
    }
    running = await start({ deps: { latest, past: openPast(store, latest) } });
  });
  after(() => running.stop());

  const ask = async (query = '', headers: Record<string, string> = PRO, path = PATH) => {
    const response = await running.get(`${path}${query}`, headers);
    return { status: response.status, body: await json(response) };
  };
  // Answers are held against the document, which has the types.
  const rows = async (query = '', headers: Record<string, string> = PRO) => {
    const { data } = (await ask(query, headers)).body;
    assert.ok(Array.isArray(data));
    return data;
  };

  it('gives market and model of every bucket, minute by minute', async () => {
    const { body } = await ask(`?from=${at(1)}&to=${at(3)}`);
    assert.deepEqual(body, {
      timestamp: NOON,
      event_id: 1,
      event_title: 'Posts of account A',
      start_ts: NOON - 2 * DAY_MS,
      end_ts: NOON + DAY_MS,
      from_ts: at(1),
      to_ts: at(3),
      step: 60,
      limit: 1_500,
      next_to_ts: null,
      data: [1, 2].map((minute) => ({
        ts: at(minute),
        real_counter: 13,
        market_oracle_counter: 10,
        forecast_id: '1-7',
        markets: [
          { title: '0-19', lo: 0, hi: 19, best_bid: minute / 10_000, model_prob: 0.5 },
          { title: '20+', lo: 20, hi: null, best_bid: 0.41, model_prob: null },
        ].map((market) => ({
          ...{ market_price: 0.42, best_ask: 0.43, bid_size: 500, ask_size: 400, last: 0.4, volume: 12_345 },
          ...market,
        })),
      })),
    });
  });

  it('keeps the model for PRO', async () => {
    for (const headers of [{}, { 'X-API-Key': 'demo_free' }]) {
      const [first] = await rows(`?from=${at(1)}&to=${at(3)}`, headers);
      assert.equal('forecast_id' in first, false);
      assert.deepEqual(
        first.markets.map((market: object) => 'model_prob' in market),
        [false, false],
      );
      assert.equal(first.markets[0].best_ask, 0.43);
    }
  });

  it('begins with the window and ends with the present, unless it is told otherwise', async () => {
    const { body } = await ask('?bucket=0-19');
    assert.deepEqual([body.from_ts, body.next_to_ts], [NOON - 2 * DAY_MS, null]);
    assert.deepEqual(
      (await rows('?bucket=0-19')).map(({ ts }) => ts),
      Array.from({ length: MINUTES - 1 }, (_, index) => at(index + 1)),
    );
  });

  it('takes times of ISO 8601, and the last minute of each step', async () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const hours = await rows(`?from=${iso(at(1))}&to=${iso(at(601))}&step=3600`);
    assert.equal(hours.length, 11);
    for (const { ts } of hours.slice(0, -1))
      assert.equal(Math.floor((ts + MINUTE_MS) / 3_600_000) * 3_600_000 > ts, true);
  });

  it('gives pages that join without a gap, newest first', async () => {
    const seen: number[] = [];
    let query = '';
    for (let pages = 0; pages < 5; pages++) {
      const { body } = await ask(query);
      assert.ok(Array.isArray(body.data) && body.data.length <= 1_500);
      seen.unshift(...body.data.map(({ ts }: { ts: number }) => ts));
      if (body.next_to_ts === null) break;
      query = `?to=${body.next_to_ts}`;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: MINUTES - 1 }, (_, index) => at(index + 1)),
    );
  });

  it('is about one bucket when one is named', async () => {
    const [first] = await rows(`?bucket=20%2B&from=${at(1)}&to=${at(2)}`);
    assert.deepEqual(
      first.markets.map(({ title }: { title: string }) => title),
      ['20+'],
    );
  });

  it('refuses bad ranges, steps and buckets with a code', async () => {
    const faultsOf = async (query: string) => {
      const { status, body } = await ask(query);
      assert.equal(status, 422, query);
      assert.ok(Array.isArray(body.detail));
      return body.detail.map(({ loc, type }) => [loc[1], type]);
    };
    assert.deepEqual(await faultsOf('?step=90'), [['step', 'multiple_of']]);
    assert.deepEqual(await faultsOf('?step=0'), [['step', 'greater_than_equal']]);
    assert.deepEqual(await faultsOf('?step=172800'), [['step', 'less_than_equal']]);
    assert.deepEqual(await faultsOf('?step=x&from=yesterday'), [
      ['from', 'datetime_from_date_parsing'],
      ['step', 'int_parsing'],
    ]);
    assert.deepEqual(await faultsOf(`?from=${NOON}&to=${NOON}`), [['to', 'value_error']]);
    assert.deepEqual(await faultsOf(`?from=${NOON + DAY_MS}`), [['to', 'value_error']]);
    assert.deepEqual(await faultsOf('?from=8640000000000000'), [['to', 'value_error']]);
    for (const late of ['8640000000000001', '9'.repeat(77)]) {
      assert.deepEqual(await faultsOf(`?from=${late}`), [['from', 'less_than_equal']]);
    }
    assert.deepEqual(await faultsOf('?bucket=5'), [['bucket', 'enum']]);
    assert.match(JSON.stringify((await ask('?bucket=5')).body), /'0-19', '20\+'/);
  });

  it('lists the events of the account when it has none with this id, and the accounts when there is no such', async () => {
    for (const event of ['2', '99', 'x', '1e0', '9'.repeat(30)]) {
      const { status, body } = await ask('', PRO, `/api/v1/history/account_a/${event}`);
      assert.deepEqual([status, body.code], [404, 'event_unknown'], event);
      assert.ok(Array.isArray(body.events));
      assert.deepEqual(
        body.events.map(({ event_id }) => event_id),
        [1],
      );
    }
    const { status, body } = await ask('', PRO, '/api/v1/history/account_c/1');
    assert.deepEqual(
      [status, body.code, body.accounts],
      [404, 'account_unknown', ['account_a', 'account_b']],
    );
    assert.equal((await ask('', PRO, '/api/v1/history/account_a')).body.code, 'not_found');
  });

  it('is allowed by GET alone', async () => {
    const response = await fetch(running.url + PATH, { method: 'POST' });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  });

  it('is counted under one name for all events of an account', async () => {
    await ask('', { 'X-API-Key': 'demo_internal' });
    await ask('', { 'X-API-Key': 'demo_internal' }, '/api/v1/history/account_a/77');
    await running.usage.flush();
    const usage = await json(
      await running.get('/api/v1/usage/by-endpoint?start=0&end=9999999999', { 'X-API-Key': 'demo_internal' }),
    );
    assert.ok(Array.isArray(usage.data));
    const found = usage.data.filter(({ endpoint }) => endpoint.includes('history'));
    assert.deepEqual(
      found.map(({ endpoint, requests, errors }) => [endpoint, requests, errors]),
      [['/api/v1/history/account_a/{event}', 2, 1]],
    );
  });
});
