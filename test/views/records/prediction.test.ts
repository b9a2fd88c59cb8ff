import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PAID_FIELDS, type PaidField } from '../../../src/contract/account.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { predictionView } from '../../../src/views/records/prediction.ts';
import { DAY_MS, type Output } from '../../../streams/internal.ts';
import { COUNTER_FIELDS } from '../../server/routes/counter-fields.ts';
import { json, type Running, start } from '../../server/start.ts';
import { accountPath } from '../../support/accounts.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  signalsOutput,
  velocityOutput,
} from '../../support/outputs.ts';
import { withSignals } from '../../support/with-signals.ts';

const PATH = '/api/v1/prediction/account_a';
const PRO = { 'X-API-Key': 'demo_pro' };
const PRICE = { eventId: 1, token: 'yes-1', bid: 0.19, ask: 0.21, price: 0.2, at: NOON - 500 };
function keysIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...keysIn(part)]);
}

describe('GET /prediction/{account}', () => {
  let running: Running;
  const begin = async (...loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const records = async (headers: Record<string, string> = {}, path = PATH) => {
    const { data } = await json(await running.get(path, headers));
    assert.ok(Array.isArray(data));
    return data;
  };
  const tagOf = async (headers: Record<string, string> = {}) => {
    const response = await running.get(PATH, headers);
    await response.arrayBuffer();
    return response.headers.get('etag');
  };
  afterEach(() => running.stop());

  it('shows everyone the fields that the account shows everyone, and tags them by what changes them', async () => {
    const open = accountPath('a', { freeFields: ['velocity_all_1h', 'forecast', 'model_prob'] });
    running = await start({
      loaded: [eventOutput(), countersOutput(), velocityOutput(), priceOutput(PRICE), predictionOutput()],
      deps: { accounts: [open] },
    });
    const [free] = await records();
    assert.deepEqual([free.velocity_all_1h, free.forecast.p50, free.markets[0].model_prob], [8, 63, 0.25]);
    const before = await tagOf();
    running.put(signalsOutput({}, { seq: 49 }));
    assert.equal(await tagOf(), before);
    running.put(predictionOutput({ p50: 333 }, { seq: 50 }));
    assert.notEqual(await tagOf(), before);
  });

  it('gives a PRO caller the whole record of spec 2.4 with the additive fields', async () => {
    await begin(
      ...withSignals([
        eventOutput(),
        countersOutput(),
        velocityOutput(),
        priceOutput(PRICE),
        predictionOutput({ moved: [{ cause: 'new_post', p50: 2 }] }, { seq: 8, at: NOON - 100 }),
      ]),
    );
    running.put(freshnessOutput(FRESH_AGES, { seq: 9, at: NOON + 1_500 }));
    const [record] = await records(PRO);
    const { distribution, ...rest } = record;
    assert.deepEqual(rest, {
      seconds_remaining: 86_398,
      ...COUNTER_FIELDS,
      velocity_counted_1h: 3,
      velocity_all_1h: 8,
      forecast: { p5: 18, p50: 63, p95: 108 },
      settlement: { offset_p5: -2, offset_p50: 0, offset_p95: 0 },
      sleep_probability: 0.1235,
      model_version: 'pool-1+470000',
      forecast_id: '1-7',
      forecast_ts: NOON - 2_000,
      flip_risk: 0.01,
      moved: [{ cause: 'new_post', p50: 2 }],
      markets: [
        {
          title: '0-19',
          market_price: 0.2,
          token_id: 'yes-1',
          lo: 0,
          hi: 19,
          price_ts: NOON - 500,
          price_kind: 'mid',
          best_bid: 0.19,
          best_ask: 0.21,
          bid_size: 500,
          ask_size: 400,
          model_prob: 0.25,
          edge: 0.05,
          signal: 'SLIGHT_BUY',
        },
      ],
      as_of: {
        seq: 8,
        ts: NOON - 100,
        ages_ms: { posts: 400, oracle: 2_000, ui: 3_000, prices: 900 },
      },
    });
    assert.equal(distribution.length, 101);
    assert.deepEqual(distribution[50], { count: 63, prob: 0.01 });
  });

  it('shows a public caller nothing of the model anywhere in the body', async () => {
    await begin(eventOutput(), countersOutput(), velocityOutput(), priceOutput(PRICE), predictionOutput());
    for (const headers of [{}, { 'X-API-Key': 'demo_free' }]) {
      const data = await records(headers);
      const keys = new Set(keysIn(data));
      assert.deepEqual(
        PAID_FIELDS.filter((field) => keys.has(field)),
        [],
      );
      assert.deepEqual([data[0].real_counter, data[0].markets[0].market_price], [13, 0.2]);
    }
    const keys = new Set(keysIn(await records(PRO)));
    assert.deepEqual(
      PAID_FIELDS.filter((field) => !keys.has(field)),
      [],
    );
  });

  it('shows the velocity of account A only', async () => {
    await begin(
      eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } }),
      velocityOutput({ account: 'b' }),
      predictionOutput({ eventId: 2, account: 'b' }),
    );
    const [record] = await records(PRO, '/api/v1/prediction/account_b');
    assert.equal(record.forecast.p50, 63);
    assert.ok(!('velocity_counted_1h' in record) && !('velocity_all_1h' in record));
  });

  it('has null for every PRO field until the first forecast, and for no other caller', async () => {
    await begin(eventOutput(), priceOutput(PRICE));
    const [record] = await records(PRO);
    assert.deepEqual([record.event_id, record.real_counter, record.markets[0].market_price], [1, null, 0.2]);
    const { model_prob, edge, signal } = record.markets[0];
    assert.deepEqual([model_prob, edge, signal], [null, null, null]);
    const nulls = Object.entries(record).filter(([, value]) => value === null);
    const own = PAID_FIELDS.filter((field) => !['model_prob', 'edge', 'signal'].includes(field));
    assert.deepEqual(
      own.filter((field) => !nulls.some(([name]) => name === field)),
      [],
    );
    const publicKeys = new Set(keysIn(await records({})));
    assert.deepEqual(
      PAID_FIELDS.filter((field) => publicKeys.has(field)),
      [],
    );
  });

  it('shows no forecast of another window', async () => {
    await begin(eventOutput(), predictionOutput());
    const isShown = async () => (await records(PRO))[0].forecast !== null;
    const { startAt, endAt } = eventOutput().record;
    assert.ok(startAt !== null);
    for (const moved of [{ endAt: endAt + 1 }, { startAt: startAt - 1 }]) {
      running.put({ ...eventOutput(moved), seq: 200 });
      assert.equal(await isShown(), false);
      running.put({ ...eventOutput(), seq: 201 });
      assert.equal(await isShown(), true);
    }
  });

  it('knows no edge when the price is unknown or stale, and still gives the probability', async () => {
    for (const [counters, prices] of [
      [countersOutput({ stale: ['prices'] }), [priceOutput(PRICE)]],
      [countersOutput(), []],
      [countersOutput(), [priceOutput({ ...PRICE, price: null, priceKind: null })]],
    ] as const) {
      await running?.stop();
      await begin(...withSignals([eventOutput(), counters, predictionOutput(), ...prices]));
      const [{ markets }] = await records(PRO);
      assert.deepEqual([markets[0].model_prob, markets[0].edge, markets[0].signal], [0.25, null, null]);
    }
  });

  const passing = (real: number, oracle: number, count: number) =>
    withSignals([
      eventOutput({ buckets: [bucket(), bucket({ title: '20+', lo: 20, hi: null, yesToken: 'yes-2' })] }),
      countersOutput({ real, oracle }),
      priceOutput(PRICE),
      predictionOutput({
        ...{ count, p5: 18, p50: 63, p95: 108 },
        quantiles: Array.from({ length: 101 }, (_, percent) => 13 + percent),
        buckets: [predictedBucket({ prob: 0.02 }), predictedBucket({ lo: 20, hi: null, prob: 0.75 })],
      }),
    ]);

  it('gives a bucket that our own count has passed the chance of the forecast, once that knows', async () => {
    const first = async (count: number) => {
      await running?.stop();
      await begin(...passing(20, 19, count));
      const [{ markets }] = await records(PRO);
      return [markets[0].model_prob, markets[0].edge, markets[0].signal];
    };
    assert.deepEqual(await first(19), [null, null, null]);
    assert.deepEqual(await first(20), [0.02, -0.18, 'SELL']);
  });

  it("gives a bucket that the oracle's count has passed no chance, and no percentile below the count", async () => {
    await begin(...passing(20, 20, 13));
    const [{ markets, forecast, distribution }] = await records(PRO);
    assert.deepEqual(
      markets.map((market: Record<string, unknown>) => market.model_prob),
      [0, 0.75],
    );
    assert.deepEqual([markets[0].edge, markets[0].signal], [-0.2, 'SELL']);
    assert.deepEqual(forecast, { p5: 20, p50: 63, p95: 108 });
    assert.deepEqual(distribution[0], { count: 20, prob: 0.075 });
  });

  it('gives no direction while any input is stale, known or not yet', async () => {
    const prob = { buckets: [predictedBucket({ prob: 0.6 })] };
    const facts = [eventOutput(), priceOutput(PRICE), predictionOutput(prob)];
    const fresh = freshnessOutput(FRESH_AGES, { seq: 9, at: NOON });
    await begin(...withSignals([...facts, countersOutput()]), fresh);
    const first = async () => {
      const [{ markets }] = await records(PRO);
      return [markets[0].edge, markets[0].signal];
    };
    assert.deepEqual(await first(), [0.4, 'STRONG_BUY']);
    running.clock.now = NOON + 11_000;
    assert.deepEqual(await first(), [null, null]);
    for (const [input, expected] of [
      ['posts', [null, null]],
      ['oracle', [0.4, 'HOLD']],
      ['ui', [0.4, 'HOLD']],
      ['prices', [null, null]],
    ] as const) {
      await running.stop();
      await begin(...withSignals([...facts, countersOutput({ stale: [input] })]), fresh);
      assert.deepEqual(await first(), expected, input);
    }
  });

  it('gives no direction with an old forecast, an unknown count or buckets that do not tile', async () => {
    const prob = { buckets: [predictedBucket({ prob: 0.6 })] };
    for (const outputs of [
      [eventOutput(), countersOutput(), predictionOutput({ ...prob, madeAt: NOON - 300_001 })],
      [eventOutput(), countersOutput({ real: null }), predictionOutput(prob)],
      [eventOutput({ isPartition: false }), countersOutput(), predictionOutput(prob)],
      [eventOutput(), predictionOutput(prob)],
    ]) {
      await running?.stop();
      await begin(...withSignals([...outputs, priceOutput(PRICE)]));
      const [{ markets }] = await records(PRO);
      assert.deepEqual([markets[0].model_prob, markets[0].edge, markets[0].signal], [0.6, null, null]);
    }
  });

  it('keeps a bucket open whose upper bound is the count', async () => {
    await begin(eventOutput(), countersOutput({ real: 19 }), predictionOutput());
    assert.equal((await records(PRO))[0].markets[0].model_prob, 0.25);
  });

  it('keeps a bucket open that only our own count has passed', async () => {
    for (const oracle of [12, null]) {
      await begin(eventOutput(), countersOutput({ real: 25, oracle }), predictionOutput({ count: 25 }));
      const [{ markets, forecast }] = await records(PRO);
      assert.deepEqual([markets[0].model_prob, forecast.p5], [0.25, 30]);
      await running.stop();
    }
  });

  it('publishes figures that agree, whatever the probability and the price', async () => {
    await begin(eventOutput(), countersOutput());
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    let seq = 10;
    await fc.assert(
      fc.asyncProperty(share, share, async (prob, price) => {
        seq += 1;
        const outputs = [
          eventOutput(),
          countersOutput(),
          priceOutput({ ...PRICE, price }),
          predictionOutput({ buckets: [predictedBucket({ prob })] }),
        ];
        running.put(...withSignals(outputs).map((output) => ({ ...output, seq })));
        const text = await (await running.get(PATH, PRO)).text();
        assert.ok(!/NaN|Infinity|undefined/.test(text));
        const { model_prob, market_price, edge } = JSON.parse(text).data[0].markets[0];
        assert.ok(Math.abs(edge - (model_prob - market_price)) < 1e-9);
        for (const value of [model_prob, market_price, edge]) {
          assert.equal(value, Math.round(value * 1e4) / 1e4);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('moves the tag of a tier with what that tier sees', async () => {
    await begin(eventOutput(), countersOutput(), predictionOutput(), priceOutput(PRICE));
    const changes: readonly (readonly [Output, free: boolean, pro: boolean])[] = [
      [predictionOutput(), false, true],
      [predictionOutput({ account: 'b', eventId: 5 }), false, false],
      [predictionOutput({ horizonHours: 24 }), false, false],
      [velocityOutput(), false, true],
      [velocityOutput({ account: 'b' }), false, false],
      [signalsOutput(), false, true],
      [signalsOutput({ account: 'b', eventId: 5 }), false, false],
      [priceOutput(PRICE), true, true],
      [priceOutput({ eventId: 77 }), false, false],
      [countersOutput({ real: 14 }), true, true],
      [eventOutput({ title: 'Renamed' }), true, true],
      [freshnessOutput(FRESH_AGES), false, false],
    ];
    let seq = 100;
    for (const [output, isFree, isPro] of changes) {
      const before = [await tagOf(), await tagOf(PRO)];
      assert.notEqual(before[0], before[1]);
      seq += 1;
      running.put({ ...output, seq });
      const moved = [(await tagOf()) !== before[0], (await tagOf(PRO)) !== before[1]];
      assert.deepEqual(moved, [isFree, isPro], `${output.stream} ${output.key}`);
    }
  });

  it('lets the time left run with the ticks, and not below 0', async () => {
    await begin(eventOutput());
    for (const [at, left] of [
      [NOON + 10_000, 86_390],
      [NOON + DAY_MS + 5_000, 0],
    ] as const) {
      running.put(freshnessOutput(FRESH_AGES, { seq: 5, at }));
      assert.equal((await records())[0].seconds_remaining, left);
    }
  });

  it('refuses a key it does not know', async () => {
    await begin();
    const response = await running.get(PATH, { 'X-API-Key': 'nobody' });
    assert.equal(response.status, 401);
    assert.equal((await json(response)).code, 'key_invalid');
  });
});

describe('predictionView', () => {
  const latest = createLatest();
  latest.load(
    withSignals([eventOutput(), countersOutput(), velocityOutput(), priceOutput(PRICE), predictionOutput()]),
  );
  const seenBy = (freeFields: readonly PaidField[], tier: 'FREE' | 'PRO') => {
    const view = predictionView(accountPath('a', { freeFields }));
    const render = view.render({ latest, late: [] }, '1', audienceOf('tier', tier));
    return JSON.parse(`${render?.({ nowMs: NOON, tickAt: NOON })}null}}`);
  };
  const without = (fields: readonly string[]) => (key: string, value: unknown) =>
    fields.includes(key) ? undefined : value;

  it('shows FREE of the PRO record exactly the fields that the account shows everyone, in the same order', () => {
    fc.assert(
      fc.property(fc.subarray([...PAID_FIELDS]), (freeFields) => {
        const hidden = PAID_FIELDS.filter((field) => !freeFields.includes(field));
        const { as_of: _, ...paid } = seenBy(freeFields, 'PRO');
        const { as_of: __, ...free } = seenBy(freeFields, 'FREE');
        assert.equal(JSON.stringify(free), JSON.stringify(paid, without(hidden)));
      }),
    );
  });
});
