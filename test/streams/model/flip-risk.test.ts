import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { flipProbability, flipRisk } from '../../../streams/model/flip-risk.ts';
import { spread } from '../../support/model-answers.ts';

const buckets = [
  { lo: 0, hi: 19 },
  { lo: 20, hi: 39 },
  { lo: 40, hi: null },
];
const always = (final: number) => new Array<number>(101).fill(final);
const anyQuantiles = fc
  .array(fc.nat({ max: 70 }), { minLength: 101, maxLength: 101 })
  .map((values) => values.toSorted((a, b) => a - b));
/** So many late posts, and our own count settles. */
const late = (posts: number) => ({ late: posts, offset: null });
const anyMean = fc.double({ min: 0, max: 60, noNaN: true });

describe('flipProbability', () => {
  it('is the chance that the late posts are those that made the winner', () => {
    assert.ok(Math.abs(flipProbability(late(2), always(20), buckets) - (1 - Math.exp(-2))) < 1e-12);
    const twoOrMore = 1 - Math.exp(-2) * (1 + 2);
    assert.ok(Math.abs(flipProbability(late(2), always(21), buckets) - twoOrMore) < 1e-12);
    assert.equal(flipProbability(late(2), always(5), buckets), 0);
  });

  it('looks both ways: up by posts that only the oracle counts, down by posts that it never counts', () => {
    const offset = { least: -2, probs: [0.1, 0.2, 0.6, 0.1] };
    const at = (final: number) => flipProbability({ late: 0, offset }, always(final), buckets);
    // Our own count is one below with 0.1, one above with 0.2 and two above with 0.1.
    assert.ok(Math.abs(at(20) - 0.1) < 1e-12, 'at the lower end of a bucket');
    assert.ok(Math.abs(at(39) - 0.3) < 1e-12, 'at its upper end');
    assert.ok(Math.abs(at(38) - 0.1) < 1e-12);
    assert.ok(at(30) < 1e-12);
    assert.ok(at(90) < 1e-12, 'nothing lies above an open bucket');
    const both = flipProbability({ late: 2, offset }, always(20), buckets);
    assert.ok(Math.abs(both - (1 - Math.exp(-2) * 0.9)) < 1e-12, 'either of two independent reasons');
  });

  it('lies in 0..1, is 0 when nothing is late, and grows with what is', () => {
    fc.assert(
      fc.property(anyQuantiles, anyMean, anyMean, (quantiles, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((mean) =>
          flipProbability(late(mean), quantiles, buckets),
        );
        assert.ok(less !== undefined && more !== undefined);
        assert.ok(less >= 0 && more <= 1);
        assert.ok(less <= more + 1e-12);
        assert.equal(flipProbability(late(0), quantiles, buckets), 0);
      }),
    );
  });
});

describe('flipRisk', () => {
  const now = 10 * DAY_MS;
  const inputs = {
    version: 'v',
    now,
    endAt: now + 10 * HOUR_MS,
    count: 10,
    mean: 30,
    dispersion: 0.1,
    shares: [1],
  };
  const lag = { n: 5, p50: HOUR_MS, p90: HOUR_MS, p99: HOUR_MS };
  const forecast = spread(10, 40, buckets);
  const slow = spread(10, 0, buckets);

  it('expects as many late posts as are made in the time the oracle takes', () => {
    assert.equal(
      flipRisk(inputs, forecast, slow, buckets, lag, null),
      flipProbability(late(3), forecast.quantiles, buckets),
    );
  });

  it('believes the pace of the week where that is higher', () => {
    const fast = spread(10, 200, buckets);
    const risk = flipRisk(inputs, forecast, fast, buckets, lag, null) ?? 0;
    assert.ok(Math.abs(risk - flipProbability(late(10), forecast.quantiles, buckets)) < 1e-9);
  });

  it('is unknown while the lag is', () => {
    assert.equal(flipRisk(inputs, forecast, slow, buckets, { ...lag, n: 4 }, null), null);
    assert.equal(flipRisk(inputs, forecast, slow, buckets, null, null), null);
  });

  it('counts what the oracle has not read just before the close', () => {
    const settled = {
      oracle: 10,
      soFar: { least: 10, probs: [0, 0, 0, 1] },
      offset: { least: 0, probs: [1] },
    };
    const near = { ...inputs, now: inputs.endAt - 1, mean: 0 };
    const same = spread(13, 0, [
      { lo: 0, hi: 10 },
      { lo: 11, hi: null },
    ]);
    const risk =
      flipRisk(
        near,
        same,
        same,
        [
          { lo: 0, hi: 10 },
          { lo: 11, hi: null },
        ],
        lag,
        settled,
      ) ?? 0;
    assert.ok(risk > 0.5, `${risk}`);
    const later = { ...near, now: near.endAt - 2 * HOUR_MS };
    assert.ok((flipRisk(later, same, same, buckets, lag, settled) ?? 1) < risk);
  });

  it('lies in 0..1 where the oracle counts more than we do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -300, max: 300 }),
        fc.integer({ min: 1, max: 7_200_000 }),
        (ahead, leftMs) => {
          const settled = {
            oracle: inputs.count + ahead,
            soFar: { least: inputs.count, probs: [1] },
            offset: { least: 0, probs: [1] },
          };
          const near = { ...inputs, now: inputs.endAt - leftMs, mean: 1 };
          const risk = flipRisk(near, forecast, slow, buckets, lag, settled) ?? -1;
          assert.ok(risk >= 0 && risk <= 1, `${risk}`);
        },
      ),
    );
  });

  it('is 0 at the close', () => {
    assert.equal(flipRisk({ ...inputs, now: inputs.endAt }, forecast, slow, buckets, lag, null), 0);
  });
});
