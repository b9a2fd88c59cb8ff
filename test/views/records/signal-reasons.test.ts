import assert from 'node:assert/strict';
import { reasonsOf } from '../../../src/views/records/signal-reasons.ts';
import type {
  BucketSignal,
  EventSignals,
  ReasonCode,
  SizedBet,
  SizedSignal,
} from '../../../streams/internal.ts';
import { bucketSignal, eventSignalsRecord } from '../../support/outputs.ts';

const BUCKET = { title: '200-219', lo: 200, hi: 219 };
const { track } = eventSignalsRecord();
const NO_BET: SizedBet = { fraction: 0, betUsd: 0, limitPrice: null, availableUsd: null, cuts: [] };
const sized = (fields: Partial<BucketSignal> = {}): SizedSignal => ({
  ...bucketSignal({ ...BUCKET, ...fields }),
  ...NO_BET,
  ...{ strategy: null, no: null },
});
const record = (fields: Partial<EventSignals> = {}) =>
  eventSignalsRecord({ p50: 212, asymmetry: 0, ...fields });
const skipped = (code: ReasonCode, fields: Partial<EventSignals> = {}) =>
  reasonsOf(sized({ action: 'SKIP', codes: [code], prob: null }), record(fields));

describe('reasonsOf', () => {
  it('names the place of the median, the price of the market and the probability of the model', () => {
    assert.deepEqual(reasonsOf(sized({ moneyness: 0.7368 }), record()), [
      'p50 212 sits in the middle of 200-219; market pays 0.31, model says 0.44',
      'an edge of 0.13 leaves 0.1091 at the best ask of 0.32 with the taker fee',
    ]);
  });

  it('distinguishes the middle of a bucket from its edge and from outside, also for an open bucket', () => {
    const first = (fields: Partial<BucketSignal>, p50: number) =>
      reasonsOf(sized(fields), record({ p50 }))[0]?.split(';')[0];
    assert.equal(first({ moneyness: 0 }, 200), 'p50 200 sits near an edge of 200-219');
    assert.equal(first({ moneyness: 0 }, 220), 'p50 220 is outside 200-219');
    assert.equal(first({ moneyness: 0 }, 199), 'p50 199 is outside 200-219');
    const open = { title: '220+', lo: 220, hi: null };
    assert.equal(first({ ...open, moneyness: 1 }, 900), 'p50 900 sits in the middle of 220+');
  });

  it('says which counter is ahead, for a bucket to buy or sell', () => {
    const last = (asymmetry: number | null, fields: Partial<BucketSignal> = {}) =>
      reasonsOf(sized(fields), record({ asymmetry })).at(-1);
    assert.equal(last(2), 'the oracle counts 2 more than the trading page');
    assert.equal(last(-3), 'the trading page counts 3 more than the oracle');
    assert.match(last(2, { action: 'HOLD', codes: ['NO_TRADE_BAND'] }) ?? '', /too small to trade/);
    assert.match(last(null) ?? '', /taker fee/);
  });

  it('has a sentence for every code', () => {
    const codes: readonly ReasonCode[] = [
      ...(['UNDERVALUED', 'OVERVALUED', 'NO_TRADE_BAND', 'COSTS_EXCEED_EDGE', 'NO_ASK', 'NO_BID'] as const),
      ...(['EMPTY_BOOK', 'NO_FORECAST', 'OLD_FORECAST', 'BUCKETS_DO_NOT_TILE', 'BET_TOO_SMALL'] as const),
      ...(['PASSED_BY_COUNT', 'FORECAST_BEHIND_COUNT', 'UNKNOWN_COUNT', 'DEPTH_UNKNOWN'] as const),
      ...(['STALE_POSTS', 'STALE_ORACLE', 'STALE_UI', 'STALE_PRICES', 'UNPROVEN_HORIZON'] as const),
    ];
    for (const code of codes) {
      const [sentence = ''] = skipped(code);
      assert.ok(sentence.length > 10 && !sentence.includes('undefined'), code);
    }
    assert.match(skipped('STALE_UI')[0] ?? '', /^the ui input is stale/);
  });

  it('says whose count has passed a bucket, and what is bid for it', () => {
    const passed = (fields: Partial<BucketSignal>) =>
      reasonsOf(
        sized({ action: 'SELL', codes: ['PASSED_BY_COUNT'], bid: 0.2, bidSize: 50, prob: 0, ...fields }),
        record(),
      )[1];
    assert.equal(
      passed({ standing: 'dead' }),
      "the oracle's count is above 200-219, and somebody still bids 0.2 for 50 shares: sell Yes, or buy No",
    );
    assert.equal(
      passed({ standing: 'passed', bidSize: null }),
      'our own count is above 200-219, and somebody still bids 0.2: sell Yes, or buy No',
    );
  });

  it('says what a bet was cut by, on Yes and on No', () => {
    const cuts: SizedBet['cuts'] = [{ by: 'depth', fraction: 0.01 }];
    const last = (signal: SizedSignal) => reasonsOf(signal, record()).at(-1);
    assert.equal(last({ ...sized(), cuts }), 'cut to what the book holds at the limit price');
    assert.equal(
      last({ ...sized(), no: { ...NO_BET, cuts } }),
      'cut to what the book holds at the limit price',
    );
  });

  it('explains why a horizon is not proven', () => {
    const why = (fields: Partial<EventSignals>) => skipped('UNPROVEN_HORIZON', fields)[0];
    assert.equal(
      why({ horizonHours: null }),
      'forecasts this far from the close are never scored, 72 h is the farthest',
    );
    const needed =
      'not shown to be better than the market at 24 h, which takes 30 live forecasts with prices: ';
    const none = { n: 0, nLive: 0, nBackfilled: 0, nMarket: 0, againstPace: null, againstMarket: null };
    assert.equal(why({ track: { ...track, ...none } }), `${needed}no settled forecast had market prices`);
    const backfilled = { ...none, n: 56, nBackfilled: 56, againstPace: -2.234 };
    assert.equal(
      why({ track: { ...track, ...backfilled } }),
      `${needed}no settled forecast had market prices;` +
        ' CRPS less that of constant pace is -2.23 over 0 live and 56 back-filled',
    );
    const worse = { n: 40, nLive: 31, nBackfilled: 9, nMarket: 30, againstPace: 0.234, againstMarket: 0.1 };
    assert.equal(
      why({ track: { ...track, ...worse } }),
      `${needed}log score less the market's is 0.10 over 30;` +
        ' CRPS less that of constant pace is 0.23 over 31 live and 9 back-filled',
    );
  });
});
