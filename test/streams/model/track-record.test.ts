import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type TrackSample, trackRecord } from '../../../streams/model/track-record.ts';

/** `n` events: calibrated, and better than pace by 5 posts, give or take one. */
function samples(n: number, fields: (index: number) => Partial<TrackSample> = () => ({})): TrackSample[] {
  return Array.from({ length: n }, (_, index) => ({
    endAt: index,
    isCovered: index % 10 !== 0,
    topProb: 0.5,
    isTopWon: index % 2 === 0,
    againstPace: -5 + (index % 2 === 0 ? 1 : -1),
    againstMarket: null,
    ...fields(index),
  }));
}

const confidence = (...args: Parameters<typeof samples>) => trackRecord(samples(...args)).confidence;
const isProven = (...args: Parameters<typeof samples>) => trackRecord(samples(...args)).isProven;

describe('trackRecord', () => {
  it('knows nothing of nothing', () => {
    assert.deepEqual(trackRecord([]), {
      n: 0,
      coverage: null,
      hitRate: null,
      meanTopProb: null,
      againstPace: null,
      againstMarket: null,
      nMarket: 0,
      confidence: 'LOW',
      isProven: false,
    });
  });

  it('averages what was measured', () => {
    const record = trackRecord(samples(10, (index) => (index < 4 ? { againstMarket: 0.5 } : {})));
    const { n, coverage, hitRate, meanTopProb, againstPace, againstMarket, nMarket } = record;
    assert.deepEqual([n, coverage, hitRate, meanTopProb, againstPace], [10, 0.9, 0.5, 0.5, -5]);
    assert.deepEqual([againstMarket, nMarket], [0.5, 4]);
  });

  it('is HIGH from 30 calibrated events on, MEDIUM from 10, LOW below', () => {
    assert.deepEqual(
      [9, 10, 29, 30, 200].map((n) => confidence(n)),
      ['LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'HIGH'],
    );
  });

  it('is not HIGH when intervals hold too few or too many outcomes', () => {
    const covering = (share: number) => confidence(100, (index) => ({ isCovered: index < share * 100 }));
    const shares = [0.74, 0.75, 0.82, 0.83, 0.98, 0.99];
    assert.deepEqual(shares.map(covering), ['LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'HIGH', 'MEDIUM']);
  });

  it('is not HIGH when the most probable bucket wins more or less often than it should', () => {
    const hitting = (wins: number) => confidence(100, (index) => ({ isTopWon: index < wins }));
    assert.deepEqual([29, 31, 39, 41, 59, 61, 69, 71].map(hitting), [
      'LOW',
      'MEDIUM',
      'MEDIUM',
      'HIGH',
      'HIGH',
      'MEDIUM',
      'MEDIUM',
      'LOW',
    ]);
  });

  it('does not look at the edge over rivals for confidence', () => {
    assert.equal(
      confidence(30, () => ({ againstPace: 50, againstMarket: 3 })),
      'HIGH',
    );
  });

  it('is proven by 10 events that chance does not explain', () => {
    assert.deepEqual([isProven(9), isProven(10)], [false, true]);
    assert.equal(
      isProven(50, () => ({ againstPace: 0 })),
      false,
    );
    assert.equal(
      isProven(50, (index) => ({ againstPace: index % 2 === 0 ? 40 : -42 })),
      false,
    );
  });

  it('is not proven against a market that was better on 30 events', () => {
    const priced = (n: number, againstMarket: number) =>
      isProven(60, (index) => (index < n ? { againstMarket } : {}));
    assert.deepEqual(
      [priced(29, 1), priced(30, 1), priced(30, 0), priced(30, -1)],
      [true, false, false, true],
    );
  });

  it('loses proof as the model gets worse, and never has it without a gain', () => {
    const loss = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(fc.array(loss, { minLength: 10, maxLength: 40 }), fc.nat({ max: 30 }), (losses, worse) => {
        const proven = (values: readonly number[]) =>
          isProven(values.length, (index) => ({ againstPace: values[index] ?? 0 }));
        if (proven(losses.map((value) => value + worse))) assert.ok(proven(losses));
        if (proven(losses)) assert.ok(losses.reduce((sum, value) => sum + value, 0) < 0);
      }),
    );
  });
});
