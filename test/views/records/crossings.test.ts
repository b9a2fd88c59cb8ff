import assert from 'node:assert/strict';
import fc from 'fast-check';
import { crossingRecord } from '../../../src/contract/records/crossings.ts';
import { type CrossingFacts, crossingsOf } from '../../../src/views/records/crossings.ts';
import {
  bucket,
  bucketSignal,
  countersOutput,
  eventOutput,
  lagOutput,
  NOON,
  postOutput,
  predictionOutput,
  velocityOutput,
} from '../../support/outputs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LAGS = { n: 60, p50: 61_000, p90: 118_000, p99: 240_000 };

const LOW = bucketSignal({ title: '0-19', token: 'low', lo: 0, hi: 19, prob: 0.01, bid: 0.12, bidSize: 340 });
const MIDDLE = bucketSignal({ title: '20-39', token: 'middle', lo: 20, hi: 39, askSize: 100 });
const HIGH = bucketSignal({ title: '40+', token: 'high', lo: 40, hi: null });

const BUCKETS = [LOW, MIDDLE, HIGH];

function counts(real: number | null, oracle: number | null) {
  const settlementDelta = real === null || oracle === null ? null : real - oracle;
  return countersOutput({ real, oracle, ui: 18, settlementDelta }).record;
}

/** Nothing to tell, but for what a test changes. */
function facts(fields: Partial<CrossingFacts> = {}): CrossingFacts {
  const buckets = BUCKETS.map(({ title, token, lo, hi }) => bucket({ title, yesToken: token, lo, hi }));
  return {
    now: NOON,
    event: eventOutput({ buckets }).record,
    signals: { stale: [], buckets: BUCKETS },
    counters: counts(10, 10),
    lag: lagOutput({ oracle: LAGS }).record,
    velocity: velocityOutput({ counted1h: 0 }).record,
    prediction: predictionOutput({ flipRisk: 0.01 }).record,
    posts: [],
    ...fields,
  };
}

const post = (ageMs: number, fields = {}) =>
  postOutput({ createdAt: NOON - ageMs, seenAt: NOON - ageMs + 1_000, ...fields }).record;

function only(given: CrossingFacts) {
  const [crossing, ...others] = crossingsOf(given);
  assert.ok(crossing);
  assert.deepEqual(others, []);
  return crossing;
}

describe('crossingsOf', () => {
  it('says nothing where nothing is ahead of anything', () => {
    assert.deepEqual(crossingsOf(facts()), []);
  });

  it('tells of a bucket that only our own count has left, with what the bids are worth', () => {
    const crossing = only(facts({ counters: counts(21, 19), posts: [post(5_000), post(90_000)] }));
    assert.deepEqual(crossing, {
      kind: 'count_left_bucket',
      real_counter: 21,
      market_oracle_counter: 19,
      market_ui_counter: 18,
      oracle_lag: { n: 60, p50_ms: 61_000, p90_ms: 118_000, p99_ms: 240_000 },
      bucket: '0-19',
      token_id: 'low',
      best_bid: 0.12,
      bid_size: 340,
      model_prob: 0.01,
      // 340 x (0.12 - 0.05 x 0.12 x 0.88), and less 340 x 0.01.
      gain_usd: 39,
      expected_value_usd: 35.6,
      // The second newest post made it 20.
      since_ts: NOON - 89_000,
      text: "our own count of 21 is above 0-19, the oracle's of 19 is not, and somebody still bids 0.12 for 340 shares, a gain of 39 USD after the fee if the oracle comes to the same; the oracle took 61 s for half of the last 60 posts and 118 s for nine of ten",
    });
  });

  it('has no value of a bid whose size, and no expected value of a bucket whose probability is not known', () => {
    const withLow = (fields: Partial<typeof LOW>) =>
      only(facts({ counters: counts(20, 19), signals: { stale: [], buckets: [{ ...LOW, ...fields }] } }));
    const sizeless = withLow({ bidSize: null });
    assert.ok(sizeless.kind === 'count_left_bucket');
    assert.deepEqual([sizeless.gain_usd, sizeless.expected_value_usd, sizeless.since_ts], [null, null, null]);
    const unforecast = withLow({ prob: null });
    assert.ok(unforecast.kind === 'count_left_bucket');
    assert.deepEqual([unforecast.gain_usd, unforecast.expected_value_usd], [39, null]);
  });

  it('says nothing of a bucket without a bid, a settled one, and one that the oracle has left too', () => {
    const crossings = (fields: Partial<CrossingFacts>) =>
      crossingsOf(facts({ counters: counts(20, 19), ...fields }));
    const settled = facts().event.buckets.map((each) => ({ ...each, won: false }));
    assert.deepEqual(crossings({ signals: { stale: [], buckets: [{ ...LOW, bid: null }] } }), []);
    assert.deepEqual(crossings({ event: eventOutput({ buckets: settled }).record }), []);
    assert.deepEqual(crossings({ counters: counts(21, 20) }), []);
  });

  it('has null delays while none was measured', () => {
    const { oracle_lag, text } = only(facts({ counters: counts(20, 19), lag: undefined }));
    assert.deepEqual(oracle_lag, { n: 0, p50_ms: null, p90_ms: null, p99_ms: null });
    assert.match(text, /how long the oracle takes is not known$/);
  });

  it('tells of posts that wait for the oracle longer than nearly all did', () => {
    const waiting = [post(30_000), post(5 * MINUTE), post(6 * MINUTE, { id: '7' })];
    const buckets = [{ ...LOW, edgeNet: -0.2 }, MIDDLE, { ...HIGH, askSize: null }];
    const crossing = only(
      facts({ counters: counts(13, 10), posts: waiting, signals: { stale: [], buckets } }),
    );
    assert.ok(crossing.kind === 'oracle_stalled');
    assert.deepEqual(
      [crossing.waiting, crossing.since_ts, crossing.limit_ms],
      [2, NOON - 6 * MINUTE, 240_000],
    );
    const { bucket, token_id, best_ask, ask_size, model_prob, expected_value_usd } = crossing;
    // 100 shares of a net edge of 0.1091.
    assert.deepEqual(
      [bucket, token_id, best_ask, ask_size, model_prob, expected_value_usd],
      ['20-39', 'middle', MIDDLE.ask, 100, MIDDLE.prob, 10.91],
    );
    assert.equal(
      crossing.text,
      '2 posts wait for the oracle, the oldest for 6 min: more than 4 min is unusual; by the forecast 100 shares of 20-39 at 0.32 are worth 10.91 USD more than they cost',
    );
  });

  it('takes the purchase that is worth most while the oracle is stalled, and none that is worth nothing', () => {
    const stalledAt = (...edges: readonly (readonly [edgeNet: number | null, askSize: number | null])[]) => {
      const buckets = BUCKETS.map((each, place) => {
        const [edgeNet = null, askSize = null] = edges[place] ?? [];
        return { ...each, edgeNet, askSize };
      });
      const crossing = only(
        facts({ counters: counts(11, 10), posts: [post(5 * MINUTE)], signals: { stale: [], buckets } }),
      );
      assert.ok(crossing.kind === 'oracle_stalled');
      return crossing;
    };
    const best = stalledAt([0.2, 10], [0.05, 100], [0.3, null]);
    assert.deepEqual([best.bucket, best.expected_value_usd], ['20-39', 5]);
    const none = stalledAt([-0.2, 10], [null, 100], [0.3, 0]);
    const { bucket, token_id, best_ask, ask_size, model_prob, expected_value_usd, text } = none;
    assert.deepEqual(
      [bucket, token_id, best_ask, ask_size, model_prob, expected_value_usd],
      [null, null, null, null, null, null],
    );
    assert.match(text, /is unusual$/);
  });

  it('awaits no post that is deleted, not counted, listed by the oracle, older than 2 h, or before the window', () => {
    for (const fields of [
      { posts: [post(5 * MINUTE, { deletedAt: NOON })] },
      { posts: [post(5 * MINUTE, { isCounted: false })] },
      { posts: [post(5 * MINUTE, { oracleAt: NOON })] },
      { posts: [post(3 * HOUR)] },
      { posts: [post(5 * MINUTE)], event: eventOutput({ startAt: NOON - MINUTE }).record },
      { posts: [post(5 * MINUTE)], lag: lagOutput({ oracle: { ...LAGS, n: 4 } }).record },
    ]) {
      assert.deepEqual(crossingsOf(facts({ counters: counts(13, 12), ...fields })), []);
    }
  });

  it('tells of a next bucket that a few posts may reach, and values it where the forecast does', () => {
    const velocity = velocityOutput({ counted1h: 5 }).record;
    const crossing = only(facts({ counters: counts(18, 18), velocity }));
    assert.ok(crossing.kind === 'near_edge');
    const { posts_to_next, probability, within_ms, next_bucket, expected_value_usd } = crossing;
    // 1 - e^-1.25 (1 + 1.25), and 100 shares of a net edge of 0.1091.
    assert.deepEqual(
      [posts_to_next, probability, within_ms, next_bucket, expected_value_usd],
      [2, 0.3554, 15 * MINUTE, '20-39', 10.91],
    );
    assert.equal(
      crossing.text,
      '2 posts from 20-39: 0.3554 in the next 15 min at the rate of the last hour, 5 posts',
    );
    const worthless = [LOW, { ...MIDDLE, edgeNet: -0.01 }];
    const again = only(
      facts({ counters: counts(18, 18), velocity, signals: { stale: [], buckets: worthless } }),
    );
    assert.ok(again.kind === 'near_edge');
    assert.equal(again.expected_value_usd, null);
    assert.deepEqual(crossingsOf(facts({ counters: counts(10, 10), velocity })), []);
  });

  it('looks no farther ahead than to the close', () => {
    const event = { ...facts().event, endAt: NOON + 6 * MINUTE };
    const velocity = velocityOutput({ counted1h: 5 }).record;
    const crossing = only(facts({ counters: counts(19, 19), velocity, event }));
    assert.ok(crossing.kind === 'near_edge');
    assert.deepEqual([crossing.within_ms, crossing.probability], [6 * MINUTE, 0.3935]);
  });

  it('tells of a likely flip in the last hours, with the buckets of both counts', () => {
    const prediction = predictionOutput({ flipRisk: 0.15 }).record;
    const event = { ...facts().event, endAt: NOON + 2 * HOUR };
    const crossing = only(facts({ counters: counts(19, 20), prediction, event }));
    assert.ok(crossing.kind === 'flip_likely');
    assert.deepEqual(
      [crossing.flip_risk, crossing.real_bucket, crossing.oracle_bucket],
      [0.15, '0-19', '20-39'],
    );
    assert.deepEqual(crossingsOf(facts({ prediction })), []);
  });

  it('values the most probable bucket beside that of the oracle, to which it would flip', () => {
    const prediction = predictionOutput({ flipRisk: 0.15 }).record;
    const event = { ...facts().event, endAt: NOON + 2 * HOUR };
    const flipAt = (oracle: number | null, high: Partial<typeof HIGH>) => {
      const buckets = [LOW, MIDDLE, { ...HIGH, ...high }];
      const crossing = only(
        facts({ counters: counts(39, oracle), prediction, event, signals: { stale: [], buckets } }),
      );
      assert.ok(crossing.kind === 'flip_likely');
      return crossing;
    };
    // 20 shares of a net edge of 0.12.
    const worth = flipAt(39, { prob: 0.45, edgeNet: 0.12, ask: 0.32, askSize: 20 });
    assert.deepEqual(
      [worth.bucket, worth.token_id, worth.best_ask, worth.ask_size, worth.model_prob],
      ['40+', 'high', 0.32, 20, 0.45],
    );
    assert.equal(worth.expected_value_usd, 2.4);
    assert.match(
      worth.text,
      /; by the forecast 20 shares of 40\+ at 0\.32 are worth 2\.4 USD more than they cost$/,
    );
    const dear = flipAt(39, { prob: 0.45, edgeNet: -0.02, askSize: 20 });
    assert.deepEqual([dear.bucket, dear.expected_value_usd], ['40+', null]);
    const unforecast = flipAt(39, { prob: null });
    assert.deepEqual([unforecast.bucket, unforecast.model_prob], ['0-19', 0.01]);
    const unknown = flipAt(null, {});
    assert.deepEqual([unknown.bucket, unknown.expected_value_usd], [null, null]);
  });

  const KINDS = ['count_left_bucket', 'oracle_stalled', 'near_edge', 'flip_likely'];
  const count = fc.option(fc.integer({ min: 0, max: 60 }));
  const share = fc.option(fc.constantFrom(0, 0.01, 0.2, 0.97));
  const size = fc.option(fc.integer({ min: 0, max: 500 }));
  const anyBucket = fc.record({
    bid: share,
    ask: share,
    bidSize: size,
    askSize: size,
    prob: share,
    edgeNet: share,
  });
  const anyFacts = fc
    .record({
      real: count,
      oracle: count,
      stale: fc.constantFrom([], [], [], ['oracle'] as const),
      books: fc.tuple(anyBucket, anyBucket, anyBucket),
      won: fc.tuple(...BUCKETS.map(() => fc.constantFrom(null, null, false, true))),
      counted1h: fc.option(fc.integer({ min: 0, max: 30 })),
      flipRisk: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      n: fc.constantFrom(0, 4, 60),
      ages: fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { maxLength: 8 }),
      leftMs: fc.integer({ min: -HOUR, max: 10 * HOUR }),
    })
    .map(({ real, oracle, stale, books, won, counted1h, flipRisk, n, ages, leftMs }) => {
      const { event } = facts();
      const buckets = event.buckets.map((each, place) => ({ ...each, won: won[place] ?? null }));
      return facts({
        event: { ...event, endAt: NOON + leftMs, buckets },
        counters: counts(real, oracle),
        signals: { stale, buckets: BUCKETS.map((each, place) => ({ ...each, ...books[place] })) },
        velocity: velocityOutput({ counted1h }).record,
        prediction: predictionOutput({ flipRisk }).record,
        lag: lagOutput({ oracle: n === 0 ? { n, p50: null, p90: null, p99: null } : { ...LAGS, n } }).record,
        posts: ages.toSorted((a, b) => a - b).map((age) => post(age)),
      });
    });

  it('always fits the contract, in order, and says the same of the same', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const crossings = crossingsOf(given);
        for (const crossing of crossings) assert.deepEqual(crossingRecord.parse(crossing), crossing);
        const places = crossings.map(({ kind }) => KINDS.indexOf(kind));
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        const gains = crossings.flatMap((each) =>
          each.kind === 'count_left_bucket' ? [each.gain_usd ?? -1] : [],
        );
        assert.deepEqual(
          gains,
          gains.toSorted((a, b) => b - a),
        );
        assert.deepEqual(crossingsOf(structuredClone(given)), crossings);
      }),
    );
  });

  it('never tells of a settled bucket, of a closed window or from stale inputs, nor values what nobody quotes', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const crossings = crossingsOf(given);
        if (given.signals.stale.length > 0 || given.event.endAt <= NOON) assert.deepEqual(crossings, []);
        const settled = given.event.buckets.filter(({ won }) => won !== null).map(({ title }) => title);
        const signalOf = (title: string) => given.signals.buckets.find((each) => each.title === title);
        for (const crossing of crossings) {
          if (crossing.kind === 'count_left_bucket') {
            const { bucket: left, gain_usd, expected_value_usd } = crossing;
            assert.ok(!settled.includes(left));
            assert.ok((signalOf(left)?.bid ?? 0) > 0);
            const size = signalOf(left)?.bidSize ?? 0;
            if (size === 0) assert.ok((gain_usd ?? 0) <= 0 && (expected_value_usd ?? 0) <= 0);
          } else if (crossing.kind === 'near_edge') {
            const { bucket: own, next_bucket, expected_value_usd } = crossing;
            assert.ok(!settled.includes(own) && !settled.includes(next_bucket));
            const { ask, askSize } = signalOf(next_bucket) ?? {};
            if (ask === null || askSize === null) assert.equal(expected_value_usd, null);
          } else {
            const { bucket: bought, ask_size, best_ask, expected_value_usd } = crossing;
            if (bought !== null) assert.ok(!settled.includes(bought));
            if (bought === null || best_ask === null || ask_size === null || ask_size === 0) {
              assert.equal(expected_value_usd, null);
            } else {
              const edgeNet = signalOf(bought)?.edgeNet ?? 0;
              const gain = Math.round(100 * edgeNet * ask_size) / 100;
              assert.equal(expected_value_usd, gain > 0 ? gain : null);
            }
          }
        }
      }),
    );
  });
});
