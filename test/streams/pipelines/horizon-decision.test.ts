import assert from 'node:assert/strict';
import { type EventSignals, type Prediction, sizedSignals, USUAL_BETTOR } from '../../../streams/internal.ts';
import { costOfShare } from '../../../streams/model/trading-costs.ts';
import { decisionOf, signalsOfHistory } from '../../../streams/pipelines/horizon-decision.ts';
import {
  bucketSignal,
  eventSignalsRecord,
  predictedBucket,
  predictionOutput,
} from '../../support/outputs.ts';

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
const ofHistory = (fields: Partial<Prediction> = {}) => {
  const made = row({ origin: 'history', ...fields });
  return decisionOf(made, signalsOfHistory(made, track));
};

describe('decisionOf', () => {
  it('records what was worth buying, largest stake first, with the confidence of the horizon', () => {
    const decision = ofHistory();
    assert.ok(decision);
    const { buys, ...rest } = decision;
    const { forecastId, eventId, account, madeAt, endAt } = row();
    assert.deepEqual(rest, {
      ...{ forecastId, eventId, account, origin: 'history', horizonHours: 24, madeAt, endAt },
      ...{ confidence: 'HIGH', isProven: true, strategy: 'TWO_BUCKET', orderLos: [40, 20] },
    });
    assert.deepEqual(
      buys.map(({ lo, hi, side, prob, price, cost }) => [lo, hi, side, prob, price, cost]),
      [
        [40, 59, undefined, 0.4, 0.2, costOfShare(0.2)],
        [0, 19, 'No', 0.9, 0.7, costOfShare(0.7)],
        [20, 39, undefined, 0.3, 0.2, costOfShare(0.2)],
      ],
    );
    assert.ok(buys.reduce((sum, { stake }) => sum + stake, 0) <= 0.05 + 1e-12);
  });

  it('records what the signals say to buy and nothing else, with or without an order', () => {
    const record = eventSignalsRecord({
      buckets: [
        bucketSignal({ lo: 0, kelly: 0.02 }),
        bucketSignal({ lo: 20, token: 'yes-2', kelly: 0.1 }),
        bucketSignal({ lo: 40, token: 'yes-3', action: 'HOLD' }),
        bucketSignal({ lo: 60, token: 'yes-4', action: 'BUY', kelly: 0.0001 }),
      ],
      order: null,
    });
    const decision = decisionOf(row(), record);
    const bought = sizedSignals(record, USUAL_BETTOR).signals.filter(({ action }) => action === 'BUY');
    assert.deepEqual(
      decision?.buys.map(({ lo, stake }) => [lo, stake]),
      [
        [20, 0.025],
        [0, 0.005],
      ],
    );
    assert.equal(bought.length, 2);
    assert.deepEqual([decision?.strategy, decision?.orderLos], [null, []]);
  });

  it('has a row of its own for each bet on No, as the signals size it', () => {
    const sale = { action: 'SELL', codes: ['OVERVALUED'], kelly: 0, bid: 0.3, bidSize: 50 } as const;
    const record = eventSignalsRecord({
      buckets: [
        bucketSignal({ ...sale, lo: 0, prob: 0.1, noKelly: 0.6 }),
        bucketSignal({ ...sale, lo: 20, token: 'yes-2', prob: 0.05, noKelly: 0.0001 }),
        bucketSignal({ lo: 40, token: 'yes-3', action: 'HOLD' }),
      ],
      order: null,
    });
    const [said] = sizedSignals(record, USUAL_BETTOR).signals;
    assert.ok(said?.no && said.no.fraction > 0);
    const decision = decisionOf(row(), record);
    assert.deepEqual(
      decision?.buys.map(({ lo, side, prob, price, stake }) => [lo, side, prob, price, stake]),
      [[0, 'No', 0.9, 0.7, said.no.fraction]],
    );
    assert.deepEqual([decision?.strategy, decision?.orderLos], [null, []]);
  });

  it('is LOW where skill is not demonstrated, whatever the calibration', () => {
    const unproven: EventSignals = eventSignalsRecord({ track: { ...track, isProven: false } });
    const decision = decisionOf(row(), unproven);
    assert.deepEqual([decision?.confidence, decision?.isProven], ['LOW', false]);
  });

  it('is none without a horizon, without prices, where nothing was worth it, and where all was skipped', () => {
    assert.equal(ofHistory({ horizonHours: null }), null);
    assert.equal(
      ofHistory({ buckets: ranges.map((range) => predictedBucket({ ...range, price: null })) }),
      null,
    );
    assert.equal(
      ofHistory({ buckets: ranges.map((range) => predictedBucket({ ...range, price: range.prob })) }),
      null,
    );
    assert.equal(
      decisionOf(row(), eventSignalsRecord({ buckets: [bucketSignal({ action: 'SKIP' })], order: null })),
      null,
    );
  });

  it('does not buy what had lost already', () => {
    assert.deepEqual(
      ofHistory({ count: 41 })?.buys.flatMap(({ lo, side }) => (side === 'No' ? [] : [lo])),
      [40],
    );
  });

  it('sizes history at half where skill was not demonstrated by then', () => {
    const made = row({ origin: 'history' });
    const stakes = (isProven: boolean) =>
      decisionOf(made, signalsOfHistory(made, { ...track, isProven }))?.buys.map(({ stake }) => stake) ?? [];
    const [proven = 0] = stakes(true);
    const [unproven = 0] = stakes(false);
    assert.ok(proven > 0 && Math.abs(unproven - proven / 2) <= 1e-4);
  });
});
