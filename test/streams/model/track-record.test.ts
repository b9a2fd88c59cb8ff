import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type TrackSample, trackRecord } from '../../../streams/model/track-record.ts';

/** `n` events, forecast live: calibrated, and better than pace by 5 posts, give or take one. */
function samples(n: number, fields: (index: number) => Partial<TrackSample> = () => ({})): TrackSample[] {
  return Array.from({ length: n }, (_, index) => ({
    isLive: true,
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
const provenAgainst = (...args: Parameters<typeof samples>) => trackRecord(samples(...args)).provenAgainst;
const beatsPace = (...args: Parameters<typeof samples>) => provenAgainst(...args).includes('pace');

describe('trackRecord', () => {
  it('knows nothing of nothing', () => {
    assert.deepEqual(trackRecord([]), {
      n: 0,
      nLive: 0,
      nBackfilled: 0,
      nMarket: 0,
      coverage: null,
      hitRate: null,
      meanTopProb: null,
      againstPace: null,
      againstMarket: null,
      confidence: 'LOW',
      provenAgainst: [],
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

  it('tells live samples, those made later, and those with prices apart', () => {
    const { n, nLive, nBackfilled, nMarket } = trackRecord(
      samples(10, (index) => ({ isLive: index < 3, againstMarket: index === 0 ? 0.5 : null })),
    );
    assert.deepEqual([n, nLive, nBackfilled, nMarket], [10, 3, 7, 1]);
  });

  it('is proven against constant pace by 10 events that chance does not explain, live or not', () => {
    assert.deepEqual(
      [beatsPace(9), beatsPace(10), beatsPace(10, () => ({ isLive: false }))],
      [false, true, true],
    );
    assert.equal(
      beatsPace(50, () => ({ againstPace: 0 })),
      false,
    );
    assert.equal(
      beatsPace(50, (index) => ({ againstPace: index % 2 === 0 ? 40 : -42 })),
      false,
    );
  });

  it('is proven against the market by 30 events with prices that chance does not explain', () => {
    const priced = (n: number, againstMarket: number) =>
      provenAgainst(60, (index) => (index < n ? { againstMarket } : {}));
    assert.deepEqual(
      [priced(29, -1), priced(30, 1), priced(30, 0), priced(30, -1)],
      [['pace'], ['pace'], ['pace'], ['pace', 'market']],
    );
    const noisy = provenAgainst(60, (index) => ({ againstMarket: index % 2 === 0 ? 2 : -2.1 }));
    assert.deepEqual(noisy, ['pace']);
  });

  it('does not count a forecast that was made later as proof against the market', () => {
    const at = (nLive: number) =>
      provenAgainst(60, (index) => ({ isLive: index < nLive, againstMarket: -1 })).includes('market');
    assert.deepEqual([at(0), at(29), at(30)], [false, false, true]);
  });

  it('is proven without qualification only against the market', () => {
    const better = (againstPace: number, againstMarket: number | null) =>
      trackRecord(samples(56, () => ({ againstPace, againstMarket }))).isProven;
    assert.deepEqual(
      [better(-5, null), better(-5, 1), better(5, -1), better(-5, -1)],
      [false, false, true, true],
    );
  });

  it('loses proof as the model gets worse, and never has it without a gain', () => {
    const loss = fc.double({ min: -20, max: 20, noNaN: true });
    const losses = fc.array(loss, { minLength: 10, maxLength: 40 });
    fc.assert(
      fc.property(losses, fc.nat({ max: 30 }), fc.constantFrom('pace', 'market'), (losses, worse, rival) => {
        const field = rival === 'pace' ? 'againstPace' : 'againstMarket';
        const proven = (values: readonly number[]) =>
          provenAgainst(values.length, (index) => ({ [field]: values[index] ?? 0 })).includes(rival);
        if (proven(losses.map((value) => value + worse))) assert.ok(proven(losses));
        if (proven(losses)) assert.ok(losses.reduce((sum, value) => sum + value, 0) < 0);
      }),
    );
  });
});
