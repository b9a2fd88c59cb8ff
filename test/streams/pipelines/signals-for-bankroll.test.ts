import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type BucketSignal, type EventSignals, sizedSignals } from '../../../streams/internal.ts';
import { STAKE_CAP } from '../../../streams/model/sizing.ts';
import { bucketSignal, eventSignalsRecord } from '../../support/outputs.ts';

const own = { bankrollUsd: 1_000, includesUnproven: false };
const proven = (buckets: readonly BucketSignal[], order: EventSignals['order'] = null) =>
  eventSignalsRecord({ buckets, order });
const unproven = (record: EventSignals): EventSignals => ({
  ...record,
  track: { ...record.track, isProven: false },
});
const buy = (token: string, fields: Partial<BucketSignal> = {}) =>
  bucketSignal({ token, title: token, ...fields });

describe('sizedSignals', () => {
  it('bets the fraction of the bankroll in whole cents', () => {
    const { signals } = sizedSignals(proven([buy('x', { stake: 0.033_399 })]), {
      ...own,
      bankrollUsd: 777.77,
    });
    assert.deepEqual([signals[0]?.fraction, signals[0]?.betUsd], [0.0333, 25.89]);
  });

  it('orders two buckets for 5 % in proportion to their prices, and one for 2 %', () => {
    const buckets = [buy('x', { price: 0.3 }), buy('y', { price: 0.1 }), buy('z')];
    const two = sizedSignals(proven(buckets, { strategy: 'TWO_BUCKET', tokens: ['y', 'x'] }), own);
    assert.deepEqual([two.buy?.stakeFraction, two.buy?.stakeUsd], [0.05, 50]);
    assert.deepEqual(
      two.buy?.legs.map(({ signal, stakeUsd }) => [signal.token, stakeUsd]),
      [
        ['y', 12.5],
        ['x', 37.5],
      ],
    );
    assert.deepEqual(
      two.signals.map(({ strategy }) => strategy),
      ['TWO_BUCKET', 'TWO_BUCKET', null],
    );
    const one = sizedSignals(proven(buckets, { strategy: 'SINGLE_BUCKET', tokens: ['z'] }), own);
    assert.deepEqual([one.buy?.stakeFraction, one.buy?.stakeUsd, one.buy?.legs.length], [0.02, 20, 1]);
  });

  it('sells every bucket that is to be sold, to manage risk', () => {
    const sold = buy('y', { action: 'SELL', edge: -0.2, stake: 0 });
    const { sells, signals } = sizedSignals(proven([buy('x'), sold]), own);
    assert.deepEqual(
      sells.map(({ token, strategy }) => [token, strategy]),
      [['y', 'RISK_MANAGEMENT']],
    );
    assert.deepEqual([signals[1]?.fraction, signals[1]?.betUsd], [0, 0]);
  });

  it('skips everything at a horizon without demonstrated skill, unless the caller accepts it', () => {
    const buckets = [
      buy('x'),
      buy('y', { action: 'SELL', stake: 0 }),
      buy('z', { action: 'HOLD', stake: 0 }),
    ];
    const record = unproven(proven(buckets, { strategy: 'SINGLE_BUCKET', tokens: ['x'] }));
    const refused = sizedSignals(record, own);
    assert.deepEqual([refused.buy, refused.sells], [null, []]);
    for (const { action, codes, fraction, betUsd, edge } of refused.signals) {
      assert.deepEqual([action, codes, fraction, betUsd], ['SKIP', ['UNPROVEN_HORIZON'], 0, 0]);
      assert.notEqual(edge, null);
    }
    const accepted = sizedSignals(record, { ...own, includesUnproven: true });
    assert.deepEqual(
      accepted.signals.map(({ action }) => action),
      ['BUY', 'SELL', 'HOLD'],
    );
    assert.equal(accepted.buy?.strategy, 'SINGLE_BUCKET');
  });

  it('keeps the reason why a bucket was skipped already', () => {
    const skipped = buy('x', { action: 'SKIP', codes: ['EMPTY_BOOK'], stake: 0 });
    const { signals } = sizedSignals(unproven(proven([skipped])), own);
    assert.deepEqual(signals[0]?.codes, ['UNPROVEN_HORIZON', 'EMPTY_BOOK']);
  });

  it('holds a bucket whose bet would be less than a cent, and makes no order', () => {
    const record = proven([buy('x', { stake: 0.006 })], { strategy: 'SINGLE_BUCKET', tokens: ['x'] });
    const { signals, buy: order } = sizedSignals(record, { ...own, bankrollUsd: 1 });
    assert.deepEqual([signals[0]?.action, signals[0]?.codes], ['HOLD', ['BET_TOO_SMALL']]);
    assert.deepEqual([signals[0]?.fraction, signals[0]?.betUsd, order], [0, 0, null]);
  });

  it('never stakes more than the cap on one event, whatever the stakes and the bankroll', () => {
    const stakes = fc
      .array(fc.double({ min: 0.0001, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
      .map((weights) => {
        const sum = weights.reduce((total, weight) => total + weight, 0);
        return weights.map((weight) => (weight / sum) * STAKE_CAP);
      });
    const bankrolls = fc.double({ min: 1, max: 1_000_000, noNaN: true });
    fc.assert(
      fc.property(stakes, bankrolls, (each, bankrollUsd) => {
        const buckets = each.map((stake, index) => buy(`t${index}`, { stake, price: 0.01 + index / 100 }));
        const tokens = buckets.slice(0, 2).map(({ token }) => token);
        const order = { strategy: 'TWO_BUCKET', tokens } as const;
        const { signals, buy: bought } = sizedSignals(proven(buckets, order), { ...own, bankrollUsd });
        const bets = signals.reduce((sum, { betUsd }) => sum + betUsd, 0);
        const fractions = signals.reduce((sum, { fraction }) => sum + fraction, 0);
        assert.ok(bets <= bankrollUsd * STAKE_CAP + 1e-6 && fractions <= STAKE_CAP + 1e-9);
        assert.ok((bought?.stakeUsd ?? 0) <= bankrollUsd * STAKE_CAP + 1e-6);
        const legs = bought?.legs.reduce((sum, { stakeUsd }) => sum + stakeUsd, 0) ?? 0;
        assert.ok(legs <= (bought?.stakeUsd ?? 0) + 1e-6);
        for (const { action, betUsd } of signals) assert.equal(betUsd > 0, action === 'BUY');
      }),
    );
  });
});
