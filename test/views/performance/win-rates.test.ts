import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLatest } from '../../../src/views/latest.ts';
import { winRates } from '../../../src/views/performance/win-rates.ts';
import type { Decision, Output } from '../../../streams/internal.ts';
import { decisionOutput, NOON, scoreOutput, voidOutput } from '../../support/outputs.ts';

const buy = (lo: number) => ({ lo, hi: lo + 19, prob: 0.4, price: 0.2, stake: 0.02 });

/** A decision and how its event ended. */
function settled(wonLo: number | null, fields: Partial<Decision> = {}): readonly Output[] {
  const decision = decisionOutput(fields);
  const { eventId, account, horizonHours, forecastId } = decision.record;
  return [decision, scoreOutput({ eventId, account, horizonHours, forecastId, wonLo })];
}

function ratesOf(outputs: readonly Output[], account?: string) {
  const latest = createLatest();
  latest.load(outputs);
  return winRates(latest, account);
}

const NO_BETS = { bets: 0, events: 0, wonPercent: null, returnPercent: null };
const NONE = { percent: null, sampleSize: 0, nUnproven: 0 };

describe('winRates', () => {
  it('knows no rate without a sample', () => {
    assert.deepEqual(ratesOf([]), {
      byConfidence: { HIGH: NONE, MEDIUM: NONE, LOW: NONE },
      byStrategy: { TWO_BUCKET: NONE, SINGLE_BUCKET: NONE },
      bySide: { Yes: NO_BETS, No: NO_BETS },
    });
  });

  it('keeps bets on No out of the rates of BUY, with results of their own', () => {
    const no = { lo: 0, hi: 19, side: 'No', prob: 0.9, price: 0.7, cost: 0.8, stake: 0.04 } as const;
    const yes = { ...buy(100), cost: 0.25 };
    const { byConfidence, bySide } = ratesOf([
      ...settled(100, { eventId: 1, buys: [no, yes] }),
      ...settled(0, { eventId: 2, buys: [no], strategy: null, orderLos: [] }),
      ...settled(null, { eventId: 3, buys: [no], strategy: null, orderLos: [] }),
    ]);
    assert.deepEqual(byConfidence.HIGH, { percent: 100, sampleSize: 1, nUnproven: 0 });
    assert.deepEqual(bySide.Yes, { bets: 1, events: 1, wonPercent: 100, returnPercent: 300 });
    const { returnPercent, ...counted } = bySide.No;
    assert.deepEqual(counted, { bets: 3, events: 3, wonPercent: 200 / 3 });
    assert.equal(returnPercent?.toFixed(6), (100 * (2 / 0.8 / 3 - 1)).toFixed(6));
  });

  it('settles No at 1 minus what Yes is settled at, whatever the bets', () => {
    const bet = fc.record(
      {
        lo: fc.constantFrom(0, 20, 40),
        isNo: fc.boolean(),
        cost: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        stake: fc.double({ min: 0.0001, max: 0.05, noNaN: true }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.array(bet, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 20, 40),
        (bets, wonLo) => {
          const buys = bets.map(({ lo, isNo, cost, stake }) => ({
            ...{ ...buy(lo), cost, stake },
            ...(isNo && { side: 'No' as const }),
          }));
          const { bySide } = ratesOf(settled(wonLo, { buys }));
          for (const [side, isNo] of [
            ['Yes', false],
            ['No', true],
          ] as const) {
            const ofSide = bets.filter((each) => each.isNo === isNo);
            const staked = ofSide.reduce((sum, { stake }) => sum + stake, 0);
            const pnl = ofSide.reduce((sum, { lo, cost, stake }) => {
              const outcome = lo === wonLo ? 1 : 0;
              return sum + (stake / cost) * (isNo ? 1 - outcome : outcome) - stake;
            }, 0);
            const { bets: count, returnPercent } = bySide[side];
            assert.equal(count, ofSide.length);
            if (count === 0) assert.equal(returnPercent, null);
            else assert.ok(Math.abs((returnPercent ?? Number.NaN) - (100 * pnl) / staked) < 1e-6);
          }
        },
      ),
    );
  });

  it('gives the percentage of what won, by confidence', () => {
    const { byConfidence } = ratesOf([
      ...settled(100, { eventId: 1 }),
      ...settled(0, { eventId: 2 }),
      ...settled(null, { eventId: 3 }),
      ...settled(100, { eventId: 4 }),
      ...settled(0, { eventId: 5, confidence: 'LOW' }),
    ]);
    assert.deepEqual(byConfidence.HIGH, { percent: 50, sampleSize: 4, nUnproven: 0 });
    assert.deepEqual(byConfidence.LOW, { percent: 0, sampleSize: 1, nUnproven: 0 });
    assert.deepEqual(byConfidence.MEDIUM, NONE);
  });

  it('counts each event once, by its first decision', () => {
    const first = { horizonHours: 72, madeAt: NOON - 4, confidence: 'MEDIUM' } as const;
    const later = { horizonHours: 24, madeAt: NOON - 2, buys: [buy(200)] };
    const { byConfidence } = ratesOf([...settled(100, later), ...settled(100, first)]);
    assert.deepEqual(
      [byConfidence.MEDIUM, byConfidence.HIGH],
      [{ percent: 100, sampleSize: 1, nUnproven: 0 }, NONE],
    );
  });

  it('lets the largest bet decide by confidence, and any bucket of the order by strategy', () => {
    const both = { strategy: 'TWO_BUCKET', orderLos: [120, 100], buys: [buy(120), buy(100)] } as const;
    const { byConfidence, byStrategy } = ratesOf(settled(100, both));
    assert.deepEqual(byConfidence.HIGH, { percent: 0, sampleSize: 1, nUnproven: 0 });
    assert.deepEqual(byStrategy, {
      TWO_BUCKET: { percent: 100, sampleSize: 1, nUnproven: 0 },
      SINGLE_BUCKET: NONE,
    });
  });

  it('waits for the outcome, and takes none of another forecast', () => {
    const other = scoreOutput({ eventId: 2, forecastId: 'other' });
    const { byConfidence } = ratesOf([decisionOutput(), decisionOutput({ eventId: 2 }), other]);
    assert.deepEqual(byConfidence.HIGH, NONE);
  });

  it('takes no outcome of a row that is void', () => {
    const { byConfidence } = ratesOf([...settled(100), voidOutput()]);
    assert.deepEqual(byConfidence.HIGH, NONE);
  });

  it('counts the first decision about the window that settled', () => {
    const lost = { horizonHours: 72, madeAt: NOON - 9, buys: [buy(0)] };
    const ofSecondWindow = settled(100, { horizonHours: 72, madeAt: NOON - 4, forecastId: '1-9' }).map(
      (output) => ({ ...output, key: `${output.key}.2` }),
    );
    const { byConfidence } = ratesOf([
      decisionOutput(lost),
      voidOutput({ horizonHours: 72 }),
      ...ofSecondWindow,
    ]);
    assert.deepEqual(byConfidence.HIGH, { percent: 100, sampleSize: 1, nUnproven: 0 });
  });

  it('keeps accounts apart when asked for one', () => {
    const outputs = [...settled(100, { eventId: 1 }), ...settled(0, { eventId: 2, account: 'b' })];
    assert.deepEqual(ratesOf(outputs).byConfidence.HIGH, { percent: 50, sampleSize: 2, nUnproven: 0 });
    assert.deepEqual(ratesOf(outputs, 'a').byConfidence.HIGH, { percent: 100, sampleSize: 1, nUnproven: 0 });
  });

  it('counts only what was said live', () => {
    const outputs = [
      ...settled(100, { eventId: 1, origin: 'history', madeAt: NOON - 9 }),
      ...settled(0, { eventId: 2 }),
    ];
    const { byConfidence, byStrategy } = ratesOf(outputs);
    assert.deepEqual(byConfidence.HIGH, { percent: 0, sampleSize: 1, nUnproven: 0 });
    assert.equal(byStrategy.SINGLE_BUCKET.sampleSize, 1);
  });

  it('says how many were made without proof against the market', () => {
    const { byConfidence, byStrategy } = ratesOf([
      ...settled(100, { eventId: 1, confidence: 'LOW', isProven: false }),
      ...settled(0, { eventId: 2, confidence: 'LOW' }),
    ]);
    assert.deepEqual(byConfidence.LOW, { percent: 50, sampleSize: 2, nUnproven: 1 });
    assert.deepEqual(byStrategy.SINGLE_BUCKET, { percent: 50, sampleSize: 2, nUnproven: 1 });
  });
});
