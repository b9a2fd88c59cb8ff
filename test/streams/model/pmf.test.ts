import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  atLeast,
  certainly,
  countOf,
  negated,
  negativeBinomial,
  normalised,
  type Pmf,
  plus,
  pmfCrps,
  pmfMean,
  pmfQuantile,
  probabilityOf,
  probabilityTo,
  roundedPmf,
  shifted,
  thinned,
} from '../../../streams/model/pmf.ts';

const sum = ({ probs }: Pmf) => probs.reduce((total, prob) => total + prob, 0);
const anyPmf: fc.Arbitrary<Pmf> = fc
  .tuple(
    fc.integer({ min: -20, max: 20 }),
    fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 12 }),
  )
  .map(([least, weights]) => {
    const total = weights.reduce((all, weight) => all + weight, 0);
    return { least, probs: weights.map((weight) => weight / total) };
  });
const isNear = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

describe('a distribution of whole numbers', () => {
  it('counts independent events: all of certain ones, half of tossed coins', () => {
    assert.deepEqual(countOf([1, 1, 0]), { least: 0, probs: [0, 0, 1] });
    assert.deepEqual(countOf([0.5, 0.5]).probs, [0.25, 0.5, 0.25]);
    assert.deepEqual(countOf([]), certainly(0));
  });

  it('has the mean and the variance asked for when it is negative binomial', () => {
    const pmf = negativeBinomial(3, 2);
    isNear(sum(pmf), 1);
    isNear(pmfMean(pmf), 3);
    const variance = pmf.probs.reduce((all, prob, k) => all + prob * (k - 3) ** 2, 0);
    assert.ok(Math.abs(variance - (3 + 9 / 2)) < 1e-6);
    assert.equal(negativeBinomial(0, 1).probs[0], 1);
    assert.ok(negativeBinomial(0.1, 1, 50).probs.length >= 50);
  });

  it('adds, negates and shifts as the numbers do', () => {
    fc.assert(
      fc.property(anyPmf, anyPmf, fc.integer({ min: -9, max: 9 }), (a, b, by) => {
        isNear(sum(plus(a, b)), 1);
        isNear(pmfMean(plus(a, b)), pmfMean(a) + pmfMean(b));
        isNear(pmfMean(negated(a)), -pmfMean(a));
        isNear(pmfMean(shifted(a, by)), pmfMean(a) + by);
        assert.deepEqual(negated(negated(a)), { ...a, least: a.least });
      }),
    );
  });

  it('keeps of a known number as many as of independent events, and of any number the share in the mean', () => {
    const kept = thinned({ least: 0, probs: [0, 0, 0, 1] }, 0.9);
    for (const [k, prob] of countOf([0.9, 0.9, 0.9]).probs.entries()) isNear(probabilityOf(kept, k), prob);
    fc.assert(
      fc.property(anyPmf, fc.double({ min: 0, max: 1, noNaN: true }), ({ probs }, share) => {
        const all = { least: 0, probs };
        isNear(sum(thinned(all, share)), 1);
        isNear(pmfMean(thinned(all, share)), share * pmfMean(all));
      }),
    );
  });

  it('moves what lies below a floor up to it', () => {
    fc.assert(
      fc.property(anyPmf, fc.integer({ min: -40, max: 40 }), (pmf, floor) => {
        const raised = atLeast(pmf, floor);
        isNear(sum(raised), 1);
        assert.ok(raised.least >= floor || raised === pmf);
        isNear(probabilityTo(raised, floor), probabilityTo(pmf, floor));
      }),
    );
  });

  it('has the quantile that is not exceeded, and the score of a bare number', () => {
    fc.assert(
      fc.property(anyPmf, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (pmf, level) => {
        const quantile = pmfQuantile(pmf, level);
        assert.ok(probabilityTo(pmf, quantile) >= level - 1e-9);
        assert.ok(probabilityTo(pmf, quantile - 1) < level);
      }),
    );
    assert.equal(pmfCrps(certainly(4), 7), 3);
    assert.equal(pmfCrps(certainly(7), 4), 3);
    assert.equal(pmfCrps(certainly(4), 4), 0);
    isNear(pmfCrps({ least: 0, probs: [0.5, 0.5] }, 0), 0.25);
  });

  it('still adds up to 1 in few digits, without zeros at its ends', () => {
    fc.assert(
      fc.property(anyPmf, (pmf) => {
        const rounded = roundedPmf(pmf, 100);
        assert.equal(
          rounded.probs.reduce((total, prob) => total + Math.round(prob * 100), 0),
          100,
        );
        assert.ok((rounded.probs[0] ?? 0) > 0 && (rounded.probs.at(-1) ?? 0) > 0);
        rounded.probs.forEach((prob, index) => {
          assert.ok(Math.abs(prob - probabilityOf(pmf, rounded.least + index)) < 0.1);
        });
      }),
    );
  });

  it('cannot be scaled when it has no weight', () => {
    assert.equal(normalised({ least: 0, probs: [0, 0] }), null);
    assert.deepEqual(normalised({ least: 2, probs: [1, 3] }), { least: 2, probs: [0.25, 0.75] });
  });
});
