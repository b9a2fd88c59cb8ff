import assert from 'node:assert/strict';
import type { Prediction } from '../../../streams/internal.ts';
import { decisionOf } from '../../../streams/pipelines/horizon-decision.ts';
import { eventSignalsRecord, predictedBucket, predictionOutput } from '../../support/outputs.ts';

const { track } = eventSignalsRecord();
const ranges = [
  { lo: 0, hi: 19, prob: 0.1, price: 0.3 },
  { lo: 20, hi: 39, prob: 0.3, price: 0.2 },
  { lo: 40, hi: 59, prob: 0.4, price: 0.2 },
  { lo: 60, hi: null, prob: 0.2, price: 0.21 },
];
const row = (fields: Partial<Prediction> = {}) =>
  predictionOutput({
    horizonHours: 24,
    p50: 45,
    buckets: ranges.map((range) => predictedBucket(range)),
    ...fields,
  }).record;

describe('decisionOf', () => {
  it('records what was worth buying, largest stake first, with the confidence of the horizon', () => {
    const decision = decisionOf(row({ origin: 'history' }), () => undefined, track);
    assert.ok(decision);
    const { buys, ...rest } = decision;
    const { forecastId, eventId, account, madeAt, endAt } = row();
    assert.deepEqual(rest, {
      ...{ forecastId, eventId, account, origin: 'history', horizonHours: 24, madeAt, endAt },
      ...{ confidence: 'HIGH', isProven: true, strategy: 'TWO_BUCKET', orderLos: [40, 20] },
    });
    assert.deepEqual(
      buys.map(({ lo, hi, prob, price }) => [lo, hi, prob, price]),
      [
        [40, 59, 0.4, 0.2],
        [20, 39, 0.3, 0.2],
      ],
    );
    assert.ok(buys.reduce((sum, { stake }) => sum + stake, 0) <= 0.05 + 1e-12);
  });

  it('pays the ask of the book of the instant', () => {
    const decision = decisionOf(
      row(),
      ({ lo }) => ({ bid: 0.1, ask: lo === 40 ? 0.5 : 0.21, price: 0.2 }),
      track,
    );
    assert.deepEqual(
      decision?.buys.map(({ lo }) => lo),
      [20],
    );
    assert.deepEqual([decision?.strategy, decision?.orderLos], ['SINGLE_BUCKET', [20]]);
  });

  it('is none without a horizon, without prices, and where nothing was worth it', () => {
    assert.equal(
      decisionOf(row({ horizonHours: null }), () => undefined, track),
      null,
    );
    const unpriced = ranges.map((range) => predictedBucket({ ...range, price: null }));
    assert.equal(
      decisionOf(row({ buckets: unpriced }), () => ({ bid: 0.1, ask: 0.1, price: 0.1 }), track),
      null,
    );
    const fair = ranges.map((range) => predictedBucket({ ...range, price: range.prob }));
    assert.equal(
      decisionOf(row({ buckets: fair }), () => undefined, track),
      null,
    );
  });

  it('does not buy what had lost already', () => {
    const decision = decisionOf(row({ count: 41 }), () => undefined, track);
    assert.deepEqual(
      decision?.buys.map(({ lo }) => lo),
      [40],
    );
  });
});
