import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type BucketSignal, DAY_MS, type EventSignals, type Output } from '../../../streams/internal.ts';
import {
  bucketSignal,
  decisionOutput,
  eventOutput,
  eventSignalsRecord,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  scoreOutput,
  signalsOutput,
} from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

const PATH = '/api/v1/signals/account_a';
const PATH_B = '/api/v1/signals/account_b';
const PRO = { 'X-API-Key': 'demo_pro' };
const { track } = eventSignalsRecord();
const UNPROVEN = {
  ...{ ...track, isProven: false, provenAgainst: [], n: 12, nLive: 3, nBackfilled: 9, nMarket: 0 },
  ...{ againstPace: 0.25, againstMarket: null },
};

const sell = (fields: Partial<BucketSignal> = {}) =>
  bucketSignal({
    ...{ title: '20-39', token: 'yes-2', lo: 20, hi: 39, prob: 0.2, price: 0.4, edge: -0.2, edgeNet: -0.22 },
    ...{ action: 'SELL', codes: ['OVERVALUED'], moneyness: 0, bid: 0.39, ask: 0.41, kelly: 0 },
    ...fields,
  });
const hold = (fields: Partial<BucketSignal> = {}) =>
  sell({
    title: '40+',
    token: 'yes-3',
    lo: 40,
    hi: null,
    action: 'HOLD',
    codes: ['NO_TRADE_BAND'],
    ...fields,
  });

describe('GET /signals/{account}', () => {
  let running: Running;
  const begin = async (...loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const records = async (query = '', path = PATH) => {
    const { data } = await json(await running.get(path + query, PRO));
    assert.ok(Array.isArray(data));
    return data;
  };
  const signalsOf = async (query = '') => (await records(query))[0].signals;
  const tagOf = async (query = '') => {
    const response = await running.get(PATH + query, PRO);
    await response.arrayBuffer();
    return response.headers.get('etag');
  };
  afterEach(() => running.stop());

  it('gives every field of spec 2.5 with the additive ones, in the envelope', async () => {
    await begin(
      eventOutput(),
      signalsOutput({ buckets: [bucketSignal(), sell()] }, { seq: 8, at: NOON - 100 }),
    );
    running.put(freshnessOutput(FRESH_AGES, { seq: 9, at: NOON }));
    const { timestamp, data } = await json(await running.get(PATH, PRO));
    assert.equal(timestamp, NOON);
    assert.deepEqual(data, [
      {
        event_id: 1,
        event_title: 'Posts of account A',
        event_slug: 'posts-of-a',
        end_ts: NOON + DAY_MS,
        forecast_id: '1-7',
        p50: 12,
        stale: [],
        proven: true,
        track_record: {
          horizon: 24,
          sample_size: 40,
          n_live: 32,
          n_backfilled: 8,
          n_market: 31,
          proven_against: ['pace', 'market'],
          coverage90: 0.9,
          top_bucket_hit_rate: 0.45,
          top_bucket_mean_prob: 0.4,
          crps_difference_pace: -3,
          log_score_difference_market: -0.25,
          market_sample_size: 31,
        },
        signals: [
          {
            bucket: '0-19',
            token_id: 'yes-1',
            action: 'BUY',
            strategy: 'SINGLE_BUCKET',
            model_prob: 0.44,
            market_price: 0.31,
            edge: 0.13,
            edge_net: 0.1091,
            ev: 0.4194,
            kelly_fraction: 0.0407,
            suggested_bet: 40.7,
            kelly_full: 0.1631,
            limit_price: 0.32,
            available_usd: 128_000,
            cut: [],
            proven: true,
            confidence: 'HIGH',
            moneyness: 0.5,
            time_confidence: 'HIGH',
            asymmetry_edge: -1,
            best_bid: 0.3,
            best_ask: 0.32,
            bid_size: 500_000,
            ask_size: 400_000,
            fee_rate: 0.05,
            buy_no: null,
            reason_codes: ['UNDERVALUED'],
            reasons: [
              'p50 12 sits near an edge of 0-19; market pays 0.31, model says 0.44',
              'an edge of 0.13 leaves 0.1091 at the best ask of 0.32 with the taker fee',
              'the trading page counts 1 more than the oracle',
            ],
            bankroll: 1_000,
          },
          {
            bucket: '20-39',
            token_id: 'yes-2',
            action: 'SELL',
            strategy: 'RISK_MANAGEMENT',
            model_prob: 0.2,
            market_price: 0.4,
            edge: -0.2,
            edge_net: -0.22,
            ev: -0.5,
            kelly_fraction: 0,
            suggested_bet: 0,
            kelly_full: 0,
            limit_price: 0.39,
            available_usd: 195_000,
            cut: [],
            proven: true,
            confidence: 'HIGH',
            moneyness: 0,
            time_confidence: 'HIGH',
            asymmetry_edge: -1,
            best_bid: 0.39,
            best_ask: 0.41,
            bid_size: 500_000,
            ask_size: 400_000,
            fee_rate: 0.05,
            buy_no: null,
            reason_codes: ['OVERVALUED'],
            reasons: [
              'p50 12 is outside 20-39; market pays 0.4, model says 0.2',
              'an edge of -0.2 is -0.05 or less: holding it costs more than selling it',
              'the trading page counts 1 more than the oracle',
            ],
            bankroll: 1_000,
          },
        ],
        BUY: [
          {
            strategy: 'SINGLE_BUCKET',
            buckets: ['0-19'],
            token_ids: ['yes-1'],
            stake_fraction: 0.02,
            stake_usd: 20,
            stakes_usd: [20],
            measured_win_rate: null,
            sample_size: 0,
            n_unproven: 0,
          },
        ],
        SELL: [
          {
            strategy: 'RISK_MANAGEMENT',
            bucket: '20-39',
            token_id: 'yes-2',
            edge: -0.2,
            limit_price: 0.39,
            available_usd: 195_000,
            buy_no: null,
          },
        ],
        crossings: [],
        as_of: {
          seq: 8,
          ts: NOON - 100,
          ages_ms: { posts: 400, oracle: 2_000, ui: 3_000, prices: 900 },
        },
      },
    ]);
  });

  it('serves account B the same fields from its own events', async () => {
    await begin(
      eventOutput(),
      signalsOutput(),
      eventOutput({ eventId: 2, title: 'Posts of account B', subject: { type: 'posts', account: 'b' } }),
      signalsOutput({ eventId: 2, account: 'b' }),
    );
    const [a, ...noOther] = await records();
    const [b] = await records('', PATH_B);
    assert.deepEqual([a.event_id, noOther, b.event_id, b.event_title], [1, [], 2, 'Posts of account B']);
    assert.deepEqual(Object.keys(b.signals[0]), Object.keys(a.signals[0]));
    assert.deepEqual([b.signals[0].token_id, b.signals[0].action], ['yes-1', 'BUY']);
  });

  it('orders two buckets for 5 % of the bankroll', async () => {
    const buckets = [bucketSignal(), bucketSignal({ title: '20-39', token: 'yes-2', ask: 0.08 })];
    const order = { strategy: 'TWO_BUCKET', tokens: ['yes-2', 'yes-1'] } as const;
    await begin(eventOutput(), signalsOutput({ buckets, order }));
    const [record] = await records('?bankroll=500');
    assert.deepEqual(record.BUY, [
      {
        strategy: 'TWO_BUCKET',
        buckets: ['20-39', '0-19'],
        token_ids: ['yes-2', 'yes-1'],
        stake_fraction: 0.05,
        stake_usd: 25,
        stakes_usd: [5, 20],
        measured_win_rate: null,
        sample_size: 0,
        n_unproven: 0,
      },
    ]);
    assert.deepEqual(record.SELL, []);
  });

  it('sizes bets for the bankroll sent, from 1 to 1,000,000, and for 1,000 without one', async () => {
    await begin(eventOutput(), signalsOutput());
    const sized = async (query: string) => {
      const [{ bankroll, suggested_bet, kelly_fraction }] = await signalsOf(query);
      return [bankroll, kelly_fraction, suggested_bet];
    };
    assert.deepEqual(await sized(''), [1_000, 0.0407, 40.7]);
    assert.deepEqual(await sized('?bankroll=1000'), [1_000, 0.0407, 40.7]);
    assert.deepEqual(await sized('?bankroll=1'), [1, 0.0407, 0.04]);
    assert.deepEqual(await sized('?bankroll=250.5'), [250.5, 0.0407, 10.19]);
    assert.deepEqual(await sized('?bankroll=1000000'), [1_000_000, 0.0407, 40_700]);
  });

  it('measures the win rates of the account, and shows none from fewer than 30 events', async () => {
    const settled = (n: number, account = 'a') =>
      Array.from({ length: n }, (_, index) => {
        const place = { eventId: (account === 'a' ? 100 : 500) + index, account };
        return [decisionOutput(place), scoreOutput({ ...place, wonLo: index % 3 === 0 ? 100 : 0 })];
      }).flat();
    await begin(eventOutput(), signalsOutput(), ...settled(29), ...settled(40, 'b'));
    const order = async () => {
      const [{ measured_win_rate, sample_size }] = (await records())[0].BUY;
      return [measured_win_rate, sample_size];
    };
    assert.deepEqual(await order(), [null, 29]);
    running.put(...settled(30).map((output) => ({ ...output, seq: 99 })));
    assert.deepEqual(await order(), [33.3333, 30]);
  });

  it('leaves out events with neither a BUY nor a SELL when asked to', async () => {
    await begin(
      eventOutput(),
      signalsOutput({ buckets: [hold()], order: null }),
      eventOutput({ eventId: 2 }),
      signalsOutput({ eventId: 2, buckets: [sell()], order: null }),
      eventOutput({ eventId: 3 }),
      signalsOutput({ eventId: 3 }),
      eventOutput({ eventId: 4 }),
    );
    const ids = async (query: string) => (await records(query)).map(({ event_id }) => event_id);
    assert.deepEqual(await ids(''), [1, 2, 3, 4]);
    assert.deepEqual(await ids('?only_with_signals=false'), [1, 2, 3, 4]);
    assert.deepEqual(await ids('?only_with_signals=true'), [2, 3]);
    assert.deepEqual(await ids('?only_with_signals=1&bankroll=5'), [2, 3]);
  });

  it('marks a horizon without demonstrated skill, gives LOW confidence and half the size', async () => {
    await begin(eventOutput(), signalsOutput({ track: UNPROVEN, buckets: [bucketSignal(), sell(), hold()] }));
    const [record] = await records();
    assert.deepEqual([record.proven, record.BUY.length, record.SELL.length], [false, 1, 1]);
    assert.deepEqual(
      record.signals.map(({ action }: { action: string }) => action),
      ['BUY', 'SELL', 'HOLD'],
    );
    const [{ proven, confidence, kelly_fraction, suggested_bet, cut }] = record.signals;
    assert.deepEqual([proven, confidence, kelly_fraction, suggested_bet], [false, 'LOW', 0.0203, 20.3]);
    assert.deepEqual(cut, [{ by: 'unproven', fraction: 0.0204 }]);
    assert.equal(record.BUY[0].stake_fraction, 0.01);
  });

  it('skips a horizon without demonstrated skill and says what was measured, when asked to', async () => {
    await begin(eventOutput(), signalsOutput({ track: UNPROVEN, buckets: [bucketSignal(), sell(), hold()] }));
    const [record] = await records('?include_unproven=false');
    assert.deepEqual([record.proven, record.BUY, record.SELL], [false, [], []]);
    for (const signal of record.signals) {
      const { action, reason_codes, suggested_bet, kelly_fraction, strategy } = signal;
      assert.deepEqual([action, reason_codes], ['SKIP', ['UNPROVEN_HORIZON']]);
      assert.deepEqual([suggested_bet, kelly_fraction, strategy], [0, 0, null]);
    }
    assert.match(record.signals[0].reasons[1], /constant pace is 0.25 over 3 live and 9 back-filled/);
    assert.deepEqual(await records('?only_with_signals=true&include_unproven=false'), []);
  });

  const passed = (fields: Partial<BucketSignal> = {}) =>
    sell({
      ...{ title: '0-19', token: 'yes-0', noToken: 'no-0', lo: 0, hi: 19, standing: 'dead', prob: 0 },
      ...{ price: 0.21, edge: -0.21, bid: 0.2, bidSize: 50, codes: ['PASSED_BY_COUNT'], noKelly: 1 },
      ...fields,
    });

  it('sells a bucket that a count has passed at its bid, or buys No, and never Yes', async () => {
    const buckets = [passed(), bucketSignal({ title: '20-39', token: 'yes-2' })];
    await begin(eventOutput(), signalsOutput({ buckets, order: null }));
    const [{ signals, SELL }] = await records();
    const [first] = signals;
    assert.deepEqual([first.bucket, first.action, first.model_prob], ['0-19', 'SELL', 0]);
    assert.deepEqual([first.kelly_fraction, first.suggested_bet], [0, 0]);
    assert.deepEqual([first.best_bid, first.bid_size], [0.2, 50]);
    assert.deepEqual([first.limit_price, first.available_usd], [0.2, 10]);
    assert.deepEqual(first.buy_no, {
      token_id: 'no-0',
      model_prob: 1,
      edge_net: 0.192,
      kelly_full: 1,
      limit_price: 0.8,
      available_usd: 40,
      kelly_fraction: 0.04,
      suggested_bet: 40,
      cut: [
        { by: 'event_cap', fraction: 0.2 },
        { by: 'depth', fraction: 0.01 },
      ],
    });
    assert.match(first.reasons[1], /the oracle's count is above 0-19, and somebody still bids 0.2 for 50/);
    assert.deepEqual([SELL[0].token_id, SELL[0].buy_no], ['yes-0', first.buy_no]);
  });

  it('buys No of an overvalued bucket that is not held, sized as a bet on Yes is', async () => {
    const kelly = { noKelly: 0.15, bidSize: 1_000, noToken: 'no-9' };
    await begin(eventOutput(), signalsOutput({ buckets: [sell({ ...kelly, prob: 0.3 })], order: null }));
    const [{ signals, SELL }] = await records();
    const { edge_net, ...bet } = signals[0].buy_no;
    assert.deepEqual(bet, {
      ...{ token_id: 'no-9', model_prob: 0.7, kelly_full: 0.15, limit_price: 0.61, available_usd: 610 },
      ...{ kelly_fraction: 0.0375, suggested_bet: 37.5, cut: [] },
    });
    assert.equal(edge_net, 0.0781);
    assert.match(signals[0].reasons.join(), /without a position, buy No at 1 - 0.39/);
    assert.deepEqual(SELL[0].buy_no, signals[0].buy_no);
  });

  it('never says SELL for account B, which gets the same bucket first with No to buy', async () => {
    await begin(
      eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } }),
      signalsOutput({ eventId: 2, account: 'b', buckets: [passed(), sell()], order: null }),
    );
    const [record] = await records('', PATH_B);
    assert.deepEqual(
      record.signals.map(({ action, buy_no }: { action: string; buy_no: object | null }) => [
        action,
        buy_no !== null,
      ]),
      [
        ['HOLD', true],
        ['HOLD', false],
      ],
    );
    assert.deepEqual(record.SELL, []);
  });

  it('lists no bucket that cannot win and that nobody bids for', async () => {
    const dead = passed({ noKelly: null, action: 'HOLD', codes: ['COSTS_EXCEED_EDGE'] });
    await begin(eventOutput(), signalsOutput({ buckets: [dead, hold()], order: null }));
    assert.deepEqual(
      (await signalsOf()).map(({ bucket }: { bucket: string }) => bucket),
      ['40+'],
    );
  });

  it('keeps an event with a bucket to buy and no order when only actionable events are asked for', async () => {
    await begin(eventOutput(), signalsOutput({ order: null }));
    const [record] = await records('?only_with_signals=true');
    assert.deepEqual([record.BUY, record.signals[0].action], [[], 'BUY']);
  });

  it('skips with the reason, and no figure that looks fresh, once an input is late and no tick comes', async () => {
    await begin(eventOutput(), signalsOutput(), freshnessOutput(FRESH_AGES, { seq: 2, at: NOON }));
    for (const query of ['', '?bankroll=20']) {
      running.clock.now = NOON;
      assert.equal((await signalsOf(query))[0].action, 'BUY');
      const before = await tagOf(query);
      running.clock.now = NOON + 11_000;
      const [late] = await records(query);
      assert.deepEqual([late.stale, late.BUY, late.p50], [['posts'], [], null]);
      const [{ action, reason_codes, model_prob, edge, ev, moneyness, suggested_bet, market_price }] =
        late.signals;
      assert.deepEqual([action, reason_codes], ['SKIP', ['STALE_POSTS']]);
      assert.deepEqual([model_prob, edge, ev, moneyness, suggested_bet], [null, null, null, null, 0]);
      assert.equal(market_price, 0.31);
      assert.notEqual(await tagOf(query), before);
      running.clock.now = NOON + 70_000;
      const [{ market_price: old, best_ask }] = await signalsOf(query);
      assert.deepEqual([old, best_ask], [null, null]);
    }
  });

  it('shows the reasons for missing forecasts, empty books and buckets that do not tile', async () => {
    const nothing = { prob: null, edge: null, edgeNet: null, moneyness: null, kelly: null };
    for (const [code, figures, text] of [
      ['NO_FORECAST', nothing, 'there is no forecast of this bucket yet'],
      ['OLD_FORECAST', nothing, 'the newest forecast is more than 5 minutes old'],
      [
        'BUCKETS_DO_NOT_TILE',
        nothing,
        'the buckets do not cover every count exactly once, so none has a probability',
      ],
      ['EMPTY_BOOK', { price: null, edge: null, edgeNet: null, kelly: null }, 'nobody quotes this bucket'],
    ] as const) {
      await running?.stop();
      const skipped = bucketSignal({ ...figures, action: 'SKIP', codes: [code] });
      await begin(eventOutput(), signalsOutput({ buckets: [skipped], order: null }));
      const [signal] = await signalsOf();
      assert.deepEqual([signal.action, signal.reason_codes, signal.reasons], ['SKIP', [code], [text]]);
      assert.deepEqual([signal.edge, signal.ev, signal.suggested_bet], [null, null, 0]);
    }
  });

  it('lists active events only, an event just opened without signals, and nothing when there is none', async () => {
    await begin(eventOutput({ phase: 'ended' }), signalsOutput(), eventOutput({ eventId: 9 }));
    const [record, ...others] = await records();
    assert.deepEqual([record.event_id, record.signals, record.BUY, record.SELL], [9, [], [], []]);
    assert.deepEqual(others, []);
    assert.deepEqual(await records('', PATH_B), []);
  });

  it('refuses a caller without a PRO key first, then parameters, all of them at once', async () => {
    await begin(eventOutput(), signalsOutput());
    const bad = '?bankroll=0.99&only_with_signals=maybe&include_unproven=2';
    const answer = async (headers: Record<string, string>, query: string) => {
      const response = await running.get(PATH + query, headers);
      return { status: response.status, body: await json(response) };
    };
    for (const [headers, code] of [
      [{}, 'key_missing'],
      [{ 'X-API-Key': 'nobody' }, 'key_invalid'],
      [{ 'X-API-Key': 'demo_free' }, 'tier_too_low'],
    ] as const) {
      for (const query of ['', bad]) {
        const { status, body } = await answer(headers, query);
        assert.deepEqual([status, body.code], [401, code]);
      }
    }
    const { status, body } = await answer(PRO, bad);
    assert.equal(status, 422);
    const boolean = {
      msg: 'Input should be a valid boolean, unable to interpret input',
      type: 'bool_parsing',
    };
    assert.deepEqual(body, {
      detail: [
        {
          loc: ['query', 'bankroll'],
          msg: 'Input should be greater than or equal to 1',
          type: 'greater_than_equal',
        },
        { loc: ['query', 'only_with_signals'], ...boolean },
        { loc: ['query', 'include_unproven'], ...boolean },
      ],
    });
    assert.equal((await answer({ 'X-API-Key': 'demo_internal' }, '')).status, 200);
  });

  it('refuses a bankroll outside its bounds or that is no number', async () => {
    await begin();
    const typeOf = async (bankroll: string) => {
      const response = await running.get(`${PATH}?bankroll=${bankroll}`, PRO);
      const { detail } = await json(response);
      return response.status === 200 ? 'ok' : Array.isArray(detail) && detail[0].type;
    };
    for (const [bankroll, type] of [
      ['1', 'ok'],
      ['1000000', 'ok'],
      ['0.999', 'greater_than_equal'],
      ['1000000.01', 'less_than_equal'],
      ['-5', 'greater_than_equal'],
      ['much', 'float_parsing'],
      ['', 'float_parsing'],
    ] as const) {
      assert.equal(await typeOf(bankroll), type, bankroll);
    }
  });

  it('keeps a tag for every bankroll and flag, which moves with the signals and with nothing else', async () => {
    await begin(eventOutput(), signalsOutput());
    const queries = ['', '?bankroll=5', '?only_with_signals=true', '?include_unproven=false'];
    const tags = await Promise.all(queries.map(tagOf));
    assert.equal(new Set(tags).size, queries.length);
    for (const [index, query] of queries.entries()) {
      const response = await running.get(PATH + query, { ...PRO, 'If-None-Match': tags[index] ?? '' });
      assert.equal(response.status, 304, query);
    }
    const changes: readonly (readonly [Output, boolean])[] = [
      [signalsOutput({ p50: 13 }), true],
      [signalsOutput({ eventId: 7, account: 'b' }), false],
      [scoreOutput(), true],
      [scoreOutput({ account: 'b' }), false],
      [eventOutput({ title: 'Renamed' }), true],
      [freshnessOutput(FRESH_AGES), false],
    ];
    let seq = 100;
    for (const [output, isMoved] of changes) {
      for (const query of queries) {
        const before = await tagOf(query);
        seq += 1;
        running.put({ ...output, seq });
        assert.equal((await tagOf(query)) !== before, isMoved, `${output.stream} ${query}`);
      }
    }
  });

  it('publishes figures that agree with each other, whatever the stakes and the bankroll', async () => {
    await begin(eventOutput());
    const share = fc.integer({ min: 1, max: 9_999 }).map((parts) => parts / 10_000);
    const stakes = fc.array(fc.double({ min: 0, max: 0.0125, noNaN: true }), { minLength: 1, maxLength: 4 });
    const bankrolls = fc.integer({ min: 100, max: 100_000_000 }).map((cents) => cents / 100);
    let seq = 10;
    await fc.assert(
      fc.asyncProperty(stakes, share, share, bankrolls, async (each, prob, price, bankroll) => {
        const edge = Math.round((prob - price) * 10_000) / 10_000;
        const buckets: EventSignals['buckets'] = each.map((stake, index) =>
          bucketSignal({ token: `t${index}`, kelly: 4 * stake, prob, price, edge }),
        );
        seq += 1;
        running.put(signalsOutput({ buckets, order: null }, { seq }));
        const text = await (await running.get(`${PATH}?bankroll=${bankroll}`, PRO)).text();
        assert.ok(!/NaN|Infinity|undefined/.test(text));
        const { signals } = JSON.parse(text).data[0];
        let total = 0;
        for (const signal of signals) {
          assert.ok(Math.abs(signal.ev - (signal.model_prob / signal.market_price - 1)) <= 5.1e-5);
          assert.ok(signal.suggested_bet <= signal.kelly_fraction * bankroll + 1e-6);
          assert.ok(signal.suggested_bet > signal.kelly_fraction * bankroll - 0.01);
          assert.equal(signal.suggested_bet > 0, signal.action === 'BUY');
          total += signal.suggested_bet;
        }
        assert.ok(total <= bankroll * 0.05 + 1e-6);
      }),
      { numRuns: 50 },
    );
  });
});
