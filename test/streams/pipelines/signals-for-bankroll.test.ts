import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  actionFor,
  type BucketSignal,
  type EventSignals,
  isListed,
  sizedSignals,
  USUAL_BETTOR,
} from '../../../streams/internal.ts';
import { EVENT_CAP } from '../../../streams/model/sizing.ts';
import { bucketSignal, eventSignalsRecord } from '../../support/outputs.ts';

const own = { ...USUAL_BETTOR, includesUnproven: false };
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
    const { signals } = sizedSignals(proven([buy('x', { kelly: 4 * 0.033_399 })]), {
      ...own,
      bankrollUsd: 777.77,
    });
    assert.deepEqual([signals[0]?.fraction, signals[0]?.betUsd], [0.0333, 25.89]);
  });

  it('orders two buckets for 5 % in proportion to their prices, and one for 2 %', () => {
    const buckets = [buy('x', { ask: 0.3 }), buy('y', { ask: 0.1 }), buy('z')];
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
    const sold = buy('y', { action: 'SELL', edge: -0.2, bid: 0.3, bidSize: 70 });
    const { sells, signals } = sizedSignals(proven([buy('x'), sold]), own);
    assert.deepEqual(
      sells.map(({ token, strategy }) => [token, strategy]),
      [['y', 'RISK_MANAGEMENT']],
    );
    assert.deepEqual([signals[1]?.fraction, signals[1]?.betUsd], [0, 0]);
    assert.deepEqual([signals[1]?.limitPrice, signals[1]?.availableUsd], [0.3, 21]);
  });

  it('skips everything at a horizon without demonstrated skill, unless the caller accepts it', () => {
    const buckets = [buy('x'), buy('y', { action: 'SELL' }), buy('z', { action: 'HOLD' })];
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

  it('halves bets and orders at a horizon without demonstrated skill', () => {
    const record = unproven(
      proven([buy('x', { kelly: 0.16 })], { strategy: 'SINGLE_BUCKET', tokens: ['x'] }),
    );
    const { signals, buy: order } = sizedSignals(record, USUAL_BETTOR);
    assert.deepEqual([signals[0]?.action, signals[0]?.fraction, signals[0]?.betUsd], ['BUY', 0.02, 20]);
    assert.deepEqual(signals[0]?.cuts, [{ by: 'unproven', fraction: 0.02 }]);
    assert.deepEqual([order?.stakeFraction, order?.stakeUsd], [0.01, 10]);
  });

  it('says what was cut by what, down to what the book holds at the limit price', () => {
    const record = {
      ...unproven(proven([buy('x', { kelly: 0.4, ask: 0.5, askSize: 16 })])),
      eventShare: 0.8,
      accountShare: 0.75,
    };
    const [signal] = sizedSignals(record, USUAL_BETTOR).signals;
    const cuts = signal?.cuts.map(({ by, fraction }) => [by, Math.round(fraction * 1e6) / 1e6]);
    assert.deepEqual(cuts, [
      ['event_cap', 0.06],
      ['unproven', 0.02],
      ['account_cap', 0.005],
      ['depth', 0.007],
    ]);
    assert.deepEqual([signal?.limitPrice, signal?.availableUsd], [0.5, 8]);
    assert.deepEqual([signal?.fraction, signal?.betUsd], [0.008, 8]);
  });

  it('says so where it does not know what the book holds', () => {
    const [signal] = sizedSignals(proven([buy('x', { askSize: null })]), USUAL_BETTOR).signals;
    assert.deepEqual([signal?.action, signal?.availableUsd], ['BUY', null]);
    assert.deepEqual(signal?.codes, ['UNDERVALUED', 'DEPTH_UNKNOWN']);
  });

  it('orders no more shares of each bucket than the thinnest book holds', () => {
    const buckets = [buy('x', { ask: 0.3, askSize: 10 }), buy('y', { ask: 0.1, askSize: 1_000 })];
    const record = proven(buckets, { strategy: 'TWO_BUCKET', tokens: ['x', 'y'] });
    const { buy: order } = sizedSignals(record, USUAL_BETTOR);
    assert.deepEqual([order?.stakeFraction, order?.stakeUsd], [0.004, 4]);
    assert.deepEqual(
      order?.legs.map(({ stakeUsd }) => stakeUsd),
      [3, 1],
    );
  });

  const passed = (fields: Partial<BucketSignal> = {}) =>
    buy('p', {
      ...{ standing: 'dead', action: 'SELL', codes: ['PASSED_BY_COUNT'], prob: 0, edge: -0.2 },
      ...{ bid: 0.2, bidSize: 50, kelly: 0, noKelly: 1, noToken: 'no-p' },
      ...fields,
    });

  it('offers No of a passed bucket at 1 minus the bid, and never a bet on Yes', () => {
    const { signals, sells } = sizedSignals(proven([passed()]), USUAL_BETTOR);
    const [signal] = signals;
    assert.deepEqual([signal?.action, signal?.fraction, signal?.betUsd], ['SELL', 0, 0]);
    assert.deepEqual([signal?.limitPrice, signal?.availableUsd], [0.2, 10]);
    assert.equal(sells.length, 1);
    assert.deepEqual(
      [signal?.no?.limitPrice, signal?.no?.availableUsd, signal?.no?.fraction, signal?.no?.betUsd],
      [0.8, 40, 0.04, 40],
    );
    assert.ok(signal && isListed(signal));
  });

  it('never says SELL for an account that only buys, and still offers No', () => {
    const { signals, sells } = sizedSignals(proven([passed(), buy('y', { action: 'SELL' })]), {
      ...USUAL_BETTOR,
      isBuyOnly: true,
    });
    assert.deepEqual(
      signals.map(({ action, no, limitPrice }) => [action, no !== null, limitPrice]),
      [
        ['HOLD', true, null],
        ['HOLD', false, null],
      ],
    );
    assert.deepEqual(sells, []);
  });

  it('lists no dead bucket that there is nothing to do about', () => {
    const dead = passed({ noKelly: null, action: 'HOLD' });
    assert.deepEqual(sizedSignals(proven([dead]), USUAL_BETTOR).signals.map(isListed), [false]);
    assert.deepEqual(sizedSignals(unproven(proven([passed()])), own).signals.map(isListed), [false]);
  });

  it('keeps the reason why a bucket was skipped already', () => {
    const skipped = buy('x', { action: 'SKIP', codes: ['EMPTY_BOOK'] });
    const { signals } = sizedSignals(unproven(proven([skipped])), own);
    assert.deepEqual(signals[0]?.codes, ['UNPROVEN_HORIZON', 'EMPTY_BOOK']);
  });

  it('holds a bucket whose bet would be less than a cent, and makes no order', () => {
    const record = proven([buy('x', { kelly: 0.024 })], { strategy: 'SINGLE_BUCKET', tokens: ['x'] });
    const { signals, buy: order } = sizedSignals(record, { ...own, bankrollUsd: 1 });
    assert.deepEqual([signals[0]?.action, signals[0]?.codes], ['HOLD', ['BET_TOO_SMALL']]);
    assert.deepEqual([signals[0]?.fraction, signals[0]?.betUsd, order], [0, 0, null]);
  });

  it('never stakes more than the cap on one event, whatever the stakes and the bankroll', () => {
    const stakes = fc
      .array(fc.double({ min: 0.0001, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
      .map((weights) => {
        const sum = weights.reduce((total, weight) => total + weight, 0);
        return weights.map((weight) => (weight / sum) * EVENT_CAP);
      });
    const bankrolls = fc.double({ min: 1, max: 1_000_000, noNaN: true });
    fc.assert(
      fc.property(stakes, bankrolls, (each, bankrollUsd) => {
        const buckets = each.map((stake, index) =>
          buy(`t${index}`, { kelly: 4 * stake, ask: 0.01 + index / 100 }),
        );
        const tokens = buckets.slice(0, 2).map(({ token }) => token);
        const order = { strategy: 'TWO_BUCKET', tokens } as const;
        const { signals, buy: bought } = sizedSignals(proven(buckets, order), { ...own, bankrollUsd });
        const bets = signals.reduce((sum, { betUsd }) => sum + betUsd, 0);
        const fractions = signals.reduce((sum, { fraction }) => sum + fraction, 0);
        assert.ok(bets <= bankrollUsd * EVENT_CAP + 1e-6 && fractions <= EVENT_CAP + 1e-9);
        assert.ok((bought?.stakeUsd ?? 0) <= bankrollUsd * EVENT_CAP + 1e-6);
        const legs = bought?.legs.reduce((sum, { stakeUsd }) => sum + stakeUsd, 0) ?? 0;
        assert.ok(legs <= (bought?.stakeUsd ?? 0) + 1e-6);
        for (const { action, betUsd } of signals) assert.equal(betUsd > 0, action === 'BUY');
      }),
    );
  });
});

describe('actionFor', () => {
  it('says what the sized signals say, for any bucket, record and bettor', () => {
    const price = fc.option(fc.double({ min: 0.01, max: 0.99, noNaN: true }));
    const size = fc.option(fc.double({ min: 0, max: 10, noNaN: true }));
    const bucket = fc
      .record({
        action: fc.constantFrom('BUY', 'SELL', 'HOLD', 'SKIP'),
        kelly: fc.option(fc.double({ min: 0, max: 0.1, noNaN: true })),
        bid: price,
        ask: price,
        bidSize: size,
        askSize: size,
      })
      .map((fields) => buy('token', fields));
    const record = fc
      .record({ bucket, isProven: fc.boolean(), eventShare: fc.double({ min: 0, max: 1, noNaN: true }) })
      .map(({ bucket: each, isProven, eventShare }) => {
        const all = { ...proven([each]), eventShare };
        return isProven ? all : unproven(all);
      });
    const bettor = fc.record({
      bankrollUsd: fc.double({ min: 1, max: 10_000, noNaN: true }),
      includesUnproven: fc.boolean(),
      isBuyOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(record, bettor, (each, who) => {
        const actions = each.buckets.map((one) => actionFor(one, each, who));
        assert.deepEqual(
          actions,
          sizedSignals(each, who).signals.map(({ action }) => action),
        );
      }),
    );
  });
});
