import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Bucket, type EventSignals, type Input, skipStale } from '../../../streams/internal.ts';
import { ACCOUNT_CAP, EVENT_CAP, loneStake } from '../../../streams/model/sizing.ts';
import {
  accountShareOf,
  eventSignals,
  kellyOf,
  type SignalFacts,
} from '../../../streams/pipelines/event-signals.ts';
import {
  bucket,
  bucketSignal,
  countersOutput,
  eventOutput,
  eventSignalsRecord,
  NOON,
  predictedBucket,
  predictionOutput,
} from '../../support/outputs.ts';

const HOUR_MS = 3_600_000;
const SIZES = { bidSize: 100, askSize: 100 };
const INPUTS: readonly Input[] = ['posts', 'oracle', 'ui', 'prices'];
const { track } = eventSignalsRecord();
const ranges = [
  { lo: 0, hi: 19 },
  { lo: 20, hi: 39 },
  { lo: 40, hi: 59 },
  { lo: 60, hi: null },
];
const buckets: readonly Bucket[] = ranges.map(({ lo, hi }) =>
  bucket({ title: `${lo}-${hi ?? ''}`, lo, hi, yesToken: `yes-${lo}` }),
);
const probs = [0.1, 0.3, 0.4, 0.2];
const prices = [0.2, 0.2, 0.3, 0.2];

/** An event with 13 posts, of which the model thinks 45 are to come. */
function facts(fields: Partial<SignalFacts> = {}): SignalFacts {
  return {
    event: eventOutput({ buckets }).record,
    counters: countersOutput().record,
    prediction: predictionOutput({
      p50: 45,
      buckets: ranges.map((range, index) => predictedBucket({ ...range, prob: probs[index] ?? 0 })),
    }).record,
    bookOf: (token) => {
      const price = prices[buckets.findIndex(({ yesToken }) => yesToken === token)] ?? 0;
      return { bid: price - 0.01, ask: price + 0.01, price, ...SIZES };
    },
    horizonHours: 24,
    track,
    accountShare: 1,
    at: NOON,
    ...fields,
  };
}

const signalsOf = (fields: Partial<SignalFacts> = {}) => eventSignals(facts(fields), 'a');

describe('eventSignals', () => {
  it('evaluates every bucket, best edge first, and orders the predicted bucket with the one below', () => {
    const { buckets: evaluated, order, ...rest } = signalsOf();
    assert.deepEqual(rest, {
      eventId: 1,
      account: 'a',
      forecastId: '1-7',
      p50: 45,
      horizonHours: 24,
      track,
      eventShare: rest.eventShare,
      accountShare: 1,
      timeConfidence: 'MEDIUM',
      asymmetry: -1,
      stale: [],
    });
    assert.deepEqual(
      evaluated.map(({ title, edge, action, moneyness }) => [title, edge, action, moneyness]),
      [
        ['20-39', 0.1, 'BUY', 0],
        ['40-59', 0.1, 'BUY', 0.5263],
        ['60-', 0, 'HOLD', 0],
        ['0-19', -0.1, 'SELL', 0],
      ],
    );
    assert.deepEqual(order, { strategy: 'TWO_BUCKET', tokens: ['yes-40', 'yes-20'] });
  });

  it('stakes at most the cap on all buckets together', () => {
    const anyShare = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    const many = fc.array(anyShare, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(many, many, (chances, quotes) => {
        const record = signalsOf({
          prediction: predictionOutput({
            p50: 45,
            buckets: ranges.map((range, index) => predictedBucket({ ...range, prob: chances[index] ?? 0 })),
          }).record,
          bookOf: (token) => {
            const price = quotes[buckets.findIndex(({ yesToken }) => yesToken === token)] ?? 0;
            return { bid: price, ask: price, price, ...SIZES };
          },
        });
        const sum = record.buckets.reduce((total, each) => total + loneStake(kellyOf(each)), 0);
        assert.ok(sum * record.eventShare <= EVENT_CAP * (1 + 1e-12));
        for (const each of record.buckets)
          assert.equal(kellyOf(each) > 0, each.action === 'BUY' || each.action === 'SELL');
        const edges = record.buckets.map(({ edge }) => edge ?? Number.NaN);
        assert.deepEqual(
          edges,
          edges.toSorted((a, b) => b - a),
        );
      }),
    );
  });

  /** After the count has passed 0-19, with a forecast that knows, for which the market still bids 0.19. */
  const afterPassing = (oracle: number, fields: Partial<SignalFacts> = {}) =>
    signalsOf({
      counters: countersOutput({ real: 20, oracle }).record,
      prediction: predictionOutput({
        count: 20,
        p50: 45,
        buckets: ranges.map((range, index) =>
          predictedBucket({ ...range, prob: [0.02, 0.33, 0.45, 0.2][index] ?? 0 }),
        ),
      }).record,
      ...fields,
    });

  it('puts a bucket first that the count has passed while somebody bids for it, to be sold', () => {
    for (const [oracle, standing, prob] of [
      [19, 'passed', 0.02],
      [20, 'dead', 0],
    ] as const) {
      const [first, second] = afterPassing(oracle).buckets;
      assert.deepEqual(
        [first?.title, first?.standing, first?.prob, first?.action, first?.codes],
        ['0-19', standing, prob, 'SELL', ['PASSED_BY_COUNT']],
      );
      assert.deepEqual([first?.bid, first?.bidSize, first?.noToken], [0.19, 100, 'no-1']);
      assert.ok((first?.noKelly ?? 0) > 0.8);
      assert.equal(second?.action, 'BUY');
    }
  });

  it('has nothing to sell in a dead bucket that nobody bids for', () => {
    const { buckets: evaluated } = afterPassing(20, {
      bookOf: () => ({ bid: 0.002, ask: 0.2, price: 0.101, ...SIZES }),
    });
    const dead = evaluated.find(({ standing }) => standing === 'dead');
    assert.deepEqual([dead?.action, dead?.noKelly, dead?.prob], ['HOLD', null, 0]);
  });

  it('waits for the next forecast when the count has just passed a bucket', () => {
    const { buckets: evaluated } = signalsOf({ counters: countersOutput({ real: 20, oracle: 12 }).record });
    const just = evaluated.find(({ standing }) => standing === 'passed');
    assert.deepEqual([just?.action, just?.codes, just?.prob], ['SKIP', ['FORECAST_BEHIND_COUNT'], null]);
  });

  it("takes no median below the oracle's count", () => {
    const at = (oracle: number) => signalsOf({ counters: countersOutput({ real: oracle, oracle }).record });
    assert.equal(at(50).p50, 50);
    const last = (oracle: number) => at(oracle).buckets.find(({ hi }) => hi === null)?.moneyness;
    assert.deepEqual([last(60), last(80)], [0, 1]);
  });

  it('skips every bucket and gives no probability without a forecast it can use', () => {
    const cases = [
      ['NO_FORECAST', { prediction: null }],
      ['OLD_FORECAST', { at: NOON - 2_000 + 5 * 60_000 + 1 }],
      ['OLD_FORECAST', { at: NOON - 2_000 - 5 * 60_000 - 1 }],
      ['BUCKETS_DO_NOT_TILE', { event: eventOutput({ buckets, isPartition: false }).record }],
      ['UNKNOWN_COUNT', { counters: countersOutput({ real: null }).record }],
    ] as const;
    for (const [code, fields] of cases) {
      const record = signalsOf(fields);
      assert.deepEqual([record.p50, record.order], [null, null], code);
      assert.equal(record.buckets.length, 4);
      for (const { action, codes, prob, price, edge, moneyness, kelly } of record.buckets) {
        assert.deepEqual([action, codes], ['SKIP', [code]]);
        assert.deepEqual([prob, edge, moneyness, kelly], [null, null, null, null]);
        assert.notEqual(price, null);
      }
    }
    assert.equal(signalsOf({ at: NOON - 2_000 + 5 * 60_000 }).p50, 45);
  });

  it('skips a bucket that the forecast does not know, and one without a quote', () => {
    const other = bucket({ title: '60-79', lo: 60, hi: 79, yesToken: 'yes-60' });
    const changed = signalsOf({ event: eventOutput({ buckets: [...buckets.slice(0, 3), other] }).record });
    assert.deepEqual(changed.buckets.find(({ title }) => title === '60-79')?.codes, ['NO_FORECAST']);
    const unquoted = signalsOf({ bookOf: () => undefined });
    for (const { action, codes, prob, price, edge } of unquoted.buckets) {
      assert.deepEqual([action, codes, price, edge], ['SKIP', ['EMPTY_BOOK'], null, null]);
      assert.notEqual(prob, null);
    }
    assert.equal(unquoted.order, null);
  });

  it('takes everything for stale before the first count', () => {
    assert.deepEqual(signalsOf({ counters: null }).stale, INPUTS);
  });

  it('keeps the time left apart from the confidence in the model', () => {
    const left = (hours: number) => signalsOf({ at: NOON + (24 - hours) * HOUR_MS, prediction: null });
    assert.deepEqual(
      [23, 48, 49].map((hours) => left(hours).timeConfidence),
      ['HIGH', 'MEDIUM', 'LOW'],
    );
    assert.equal(left(49).track.confidence, 'HIGH');
  });
});

describe('accountShareOf', () => {
  const full = (fields: Partial<EventSignals> = {}) =>
    eventSignalsRecord({ buckets: [bucketSignal({ kelly: 0.9 })], ...fields });
  const unproven = { ...track, isProven: false };

  it('leaves two events alone and scales more of them down to the cap of the account', () => {
    assert.equal(accountShareOf([full(), full()]), 1);
    assert.equal(accountShareOf([full(), full(), full(), full()]) * 4 * EVENT_CAP, ACCOUNT_CAP);
  });

  it('counts an unproven event by half, and one without bets not at all', () => {
    assert.equal(accountShareOf(Array.from({ length: 4 }, () => full({ track: unproven }))), 1);
    const held = full({ buckets: [bucketSignal({ action: 'HOLD' })], order: null });
    assert.equal(accountShareOf([full(), full(), held, held]), 1);
  });

  it('counts the order of an event where it stakes more than its bets', () => {
    const small = full({
      buckets: [bucketSignal({ kelly: 0.01 })],
      order: { strategy: 'TWO_BUCKET', tokens: ['yes-1', 'yes-2'] },
    });
    assert.equal(accountShareOf([small, small, small, small]), 0.5);
  });

  it('counts bets on No', () => {
    const passed = full({ buckets: [bucketSignal({ action: 'SELL', noKelly: 1 })], order: null });
    assert.equal(accountShareOf([passed, passed, passed, passed]), 0.5);
  });
});

describe('skipStale', () => {
  it('skips every bucket and names each stale input', () => {
    const stale = signalsOf({ counters: countersOutput({ stale: ['oracle', 'prices'] }).record });
    assert.deepEqual([stale.stale, stale.order], [['oracle', 'prices'], null]);
    for (const each of stale.buckets) {
      assert.deepEqual([each.action, each.codes], ['SKIP', ['STALE_ORACLE', 'STALE_PRICES']]);
      assert.equal(kellyOf(each), 0);
    }
  });

  it('removes every figure from a stale input, and no other', () => {
    const figures = (input: Input) => {
      const { p50, asymmetry, buckets } = skipStale(signalsOf(), [input]);
      const [{ prob, price, bid, ask, bidSize, askSize, edge, edgeNet, kelly, moneyness } = bucketSignal()] =
        buckets;
      const quotes = { price, bid, ask, bidSize, askSize };
      const all = { p50, asymmetry, prob, ...quotes, edge, edgeNet, kelly, moneyness };
      return Object.entries(all).flatMap(([name, value]) => (value === null ? [name] : []));
    };
    assert.deepEqual(figures('posts'), ['p50', 'prob', 'edge', 'edgeNet', 'kelly', 'moneyness']);
    const quotes = ['price', 'bid', 'ask', 'bidSize', 'askSize'];
    assert.deepEqual(figures('prices'), [...quotes, 'edge', 'edgeNet', 'kelly']);
    assert.deepEqual([figures('oracle'), figures('ui')], [['asymmetry'], ['asymmetry']]);
  });

  it('changes nothing when it is applied again, in whatever parts', () => {
    const some = fc.subarray([...INPUTS]);
    fc.assert(
      fc.property(some, some, (first, second) => {
        const record = signalsOf();
        const once = skipStale(
          record,
          INPUTS.filter((input) => first.includes(input) || second.includes(input)),
        );
        const twice = skipStale(skipStale(record, first), second);
        const plain = ({ buckets, ...rest }: typeof record) => ({
          ...rest,
          buckets: buckets.map(({ codes, ...each }) => ({ ...each, codes: codes.toSorted() })),
        });
        assert.deepEqual(plain(twice), plain(once));
        assert.equal(skipStale(once, first), once);
      }),
    );
    const fresh = signalsOf();
    assert.equal(skipStale(fresh, []), fresh);
  });
});
