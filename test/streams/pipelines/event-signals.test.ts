import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Bucket, type Input, skipStale } from '../../../streams/internal.ts';
import { STAKE_CAP } from '../../../streams/model/sizing.ts';
import { eventSignals, type SignalFacts } from '../../../streams/pipelines/event-signals.ts';
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
      return { bid: price - 0.01, ask: price + 0.01, price };
    },
    horizonHours: 24,
    track,
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
            return { bid: price, ask: price, price };
          },
        });
        const sum = record.buckets.reduce((total, { stake }) => total + stake, 0);
        assert.ok(sum <= STAKE_CAP * (1 + 1e-12));
        for (const { action, stake } of record.buckets) assert.equal(stake > 0, action === 'BUY');
        const edges = record.buckets.map(({ edge }) => edge ?? Number.NaN);
        assert.deepEqual(
          edges,
          edges.toSorted((a, b) => b - a),
        );
      }),
    );
  });

  it('leaves out a bucket that the oracle has passed, and no other', () => {
    const titles = (oracle: number | null) =>
      signalsOf({ counters: countersOutput({ oracle, real: 60 }).record })
        .buckets.map(({ title }) => title)
        .sort();
    assert.deepEqual(titles(19), ['0-19', '20-39', '40-59', '60-']);
    assert.deepEqual(titles(20), ['20-39', '40-59', '60-']);
    assert.deepEqual(titles(60), ['60-']);
    assert.equal(titles(null).length, 4);
  });

  it('takes no median below the count of the oracle', () => {
    assert.equal(signalsOf({ counters: countersOutput({ oracle: 50 }).record }).p50, 50);
    assert.deepEqual(
      signalsOf({ counters: countersOutput({ oracle: 60 }).record }).buckets.map(
        ({ moneyness }) => moneyness,
      ),
      [0],
    );
    const deep = signalsOf({ counters: countersOutput({ oracle: 80 }).record });
    assert.deepEqual(
      deep.buckets.map(({ moneyness }) => moneyness),
      [1],
    );
  });

  it('skips every bucket and gives no probability without a forecast it can use', () => {
    const cases = [
      ['NO_FORECAST', { prediction: null }],
      ['OLD_FORECAST', { at: NOON - 2_000 + 5 * 60_000 + 1 }],
      ['OLD_FORECAST', { at: NOON - 2_000 - 5 * 60_000 - 1 }],
      ['BUCKETS_DO_NOT_TILE', { event: eventOutput({ buckets, isPartition: false }).record }],
    ] as const;
    for (const [code, fields] of cases) {
      const record = signalsOf(fields);
      assert.deepEqual([record.p50, record.order], [null, null], code);
      assert.equal(record.buckets.length, 4);
      for (const { action, codes, prob, price, edge, moneyness, stake } of record.buckets) {
        assert.deepEqual([action, codes], ['SKIP', [code]]);
        assert.deepEqual([prob, edge, moneyness, stake], [null, null, null, 0]);
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

describe('skipStale', () => {
  it('skips every bucket and names each stale input', () => {
    const stale = signalsOf({ counters: countersOutput({ stale: ['oracle', 'prices'] }).record });
    assert.deepEqual([stale.stale, stale.order], [['oracle', 'prices'], null]);
    for (const { action, codes, stake } of stale.buckets) {
      assert.deepEqual([action, codes, stake], ['SKIP', ['STALE_ORACLE', 'STALE_PRICES'], 0]);
    }
  });

  it('removes every figure from a stale input, and no other', () => {
    const figures = (input: Input) => {
      const { p50, asymmetry, buckets } = skipStale(signalsOf(), [input]);
      const [{ prob, price, bid, ask, edge, edgeNet, moneyness } = bucketSignal()] = buckets;
      const all = { p50, asymmetry, prob, price, bid, ask, edge, edgeNet, moneyness };
      return Object.entries(all).flatMap(([name, value]) => (value === null ? [name] : []));
    };
    assert.deepEqual(figures('posts'), ['p50', 'prob', 'edge', 'edgeNet', 'moneyness']);
    assert.deepEqual(figures('prices'), ['price', 'bid', 'ask', 'edge', 'edgeNet']);
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
