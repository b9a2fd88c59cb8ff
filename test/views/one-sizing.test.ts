import assert from 'node:assert/strict';
import fc from 'fast-check';
import type * as z from 'zod';
import type { portfolioRecord } from '../../src/contract/records/portfolio.ts';
import type { rebalancingRecord } from '../../src/contract/records/rebalancing.ts';
import type { Position } from '../../src/sources/positions/position.ts';
import type { AccountPath } from '../../src/views/account-path.ts';
import { activeEvents } from '../../src/views/active-events.ts';
import { agesOf, lateInputs } from '../../src/views/as-of.ts';
import { audienceOf } from '../../src/views/audience.ts';
import { createLatest, type Latest } from '../../src/views/latest.ts';
import { eventFacts } from '../../src/views/portfolio/event-facts.ts';
import { portfolioOf } from '../../src/views/portfolio/portfolio.ts';
import { portfolioToWire } from '../../src/views/portfolio/portfolio-record.ts';
import { rebalancingToWire } from '../../src/views/portfolio/rebalancing-record.ts';
import { closeAll, type RecordView, renderAll } from '../../src/views/record-view.ts';
import { predictionView } from '../../src/views/records/prediction.ts';
import { signalsView } from '../../src/views/records/signals.ts';
import type { Input, Output, OutputOf } from '../../streams/internal.ts';
import { accountPath } from '../support/accounts.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  score,
  scoreOutput,
} from '../support/outputs.ts';
import { position, WALLET } from '../support/positions.ts';
import { withSignals } from '../support/with-signals.ts';

const ACCOUNTS: readonly AccountPath[] = [accountPath('a'), accountPath('a', { isBuyOnly: true })];
const LIMITS = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };
const RANGES = [
  { lo: 0, hi: 19 },
  { lo: 20, hi: 39 },
  { lo: 40, hi: 59 },
  { lo: 60, hi: null },
];
const INPUTS: readonly Input[] = ['posts', 'oracle', 'ui', 'prices'];

const share = fc.integer({ min: 0, max: 10_000 }).map((parts) => parts / 10_000);
const size = fc.option(fc.integer({ min: 0, max: 20_000 }));
const anyQuote = fc.record({
  bid: fc.option(share, { freq: 8 }),
  spread: fc.integer({ min: -100, max: 2_000 }).map((parts) => parts / 10_000),
  hasAsk: fc.boolean(),
  ...{ bidSize: size, askSize: size, prob: share },
  /** Shares held of Yes and of No. */
  ...{ yes: fc.integer({ min: 0, max: 3_000 }), no: fc.integer({ min: 0, max: 3_000 }) },
});
type AnyQuote = typeof anyQuote extends fc.Arbitrary<infer T> ? T : never;

const mostly = <T>(usual: T, seldom: T) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(seldom) });

const anyEvent = fc.record({
  quotes: fc.array(anyQuote, { minLength: RANGES.length, maxLength: RANGES.length }),
  real: fc.option(fc.nat({ max: 70 }), { freq: 9 }),
  oracle: fc.option(fc.nat({ max: 70 }), { freq: 9 }),
  /** Posts since the forecast, and its age in ms. */
  since: mostly(0, 5),
  ageMs: mostly(1_000, 400_000),
  isPartition: mostly(true, false),
  hasForecast: mostly(true, false),
  hoursLeft: fc.constantFrom(10, 60, 100),
});
type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer T> ? T : never;

const someInputs = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Input[]>([]) },
  { weight: 1, arbitrary: fc.subarray([...INPUTS]) },
);

const anyState = fc.record({
  events: fc.array(anyEvent, { minLength: 1, maxLength: 5, size: 'max' }),
  stale: someInputs,
  /** Inputs that become late after the last output, which nothing but the reader's clock shows. */
  late: someInputs,
  isProven: fc.boolean(),
  bankroll: fc.constantFrom(1, 37.5, 1_000, 1_000_000),
  threshold: fc.constantFrom(1, 5, 100),
  account: fc.constantFrom(...ACCOUNTS),
});
type AnyState = typeof anyState extends fc.Arbitrary<infer T> ? T : never;

const token = (eventId: number, place: number) => `yes-${eventId}-${place}`;

/** What the streams have emitted of one event, besides its signals. */
function outputsOf(eventId: number, given: AnyEvent, stale: readonly Input[]): readonly Output[] {
  const { quotes, real, oracle, since, ageMs, isPartition, hasForecast, hoursLeft } = given;
  const buckets = RANGES.map((range, place) =>
    bucket({
      ...range,
      title: `${range.lo}-${range.hi ?? ''}`,
      conditionId: `c-${eventId}-${place}`,
      marketSlug: `m-${eventId}-${place}`,
      yesToken: token(eventId, place),
      noToken: `no-${eventId}-${place}`,
    }),
  );
  const predicted = RANGES.map((range, place) =>
    predictedBucket({ ...range, prob: quotes[place]?.prob ?? 0 }),
  );
  const endAt = NOON + hoursLeft * 3_600_000;
  const count = Math.max(0, (real ?? 0) - since);
  const forecast = predictionOutput({
    eventId,
    endAt,
    count,
    p50: 45,
    madeAt: NOON - ageMs,
    buckets: predicted,
  });
  return [
    eventOutput({ eventId, endAt, isPartition, buckets }),
    countersOutput({ eventId, real, oracle, stale }),
    ...(hasForecast ? [forecast] : []),
    ...quotes.map((quote, place) =>
      priceOutput({ eventId, token: token(eventId, place), ...sidesOf(quote) }),
    ),
  ];
}

function sidesOf({ bid, spread, hasAsk, bidSize, askSize }: AnyQuote) {
  const ask = hasAsk ? Math.min(1, Math.max(0, (bid ?? 0) + spread)) : null;
  const price = bid === null || ask === null ? (bid ?? ask) : (bid + ask) / 2;
  return { bid, ask, bidSize, askSize, price };
}

function held(state: AnyState): readonly Position[] {
  return state.events.flatMap(({ quotes }, index) =>
    quotes.flatMap(({ yes, no }, place) => {
      const eventId = index + 1;
      const ids = `${eventId}-${place}`;
      const where = { eventId, conditionId: `c-${ids}`, marketSlug: `m-${ids}` };
      return [
        position({ ...where, token: token(eventId, place), size: yes }),
        position({ ...where, token: `no-${ids}`, outcome: 'No', size: no }),
      ];
    }),
  );
}

/** Thirty settled events on which the model did better than its rivals at every horizon, or none. */
function scoresOf(isProven: boolean): readonly OutputOf<'scores'>['record'][] {
  if (!isProven) return [];
  return [24, 48, 72].flatMap((horizonHours) =>
    Array.from({ length: 30 }, (_, eventId) => {
      const model = score({ crps: 1 + eventId / 100, logScore: 1 + eventId / 100 });
      const fields = { eventId: 900 + eventId, endAt: NOON - 1, model, market: score({ logScore: 3 }) };
      return scoreOutput({ ...fields, horizonHours }).record;
    }),
  );
}

function latestOf(state: AnyState): Latest {
  const latest = createLatest();
  const outputs = state.events.flatMap((given, index) => outputsOf(index + 1, given, state.stale));
  const ages = Object.fromEntries(
    Object.entries(FRESH_AGES).map(([source, ageMs]) => [
      source,
      state.late.some((input) => source.startsWith(input)) ? 1e9 : ageMs,
    ]),
  );
  latest.load([
    ...withSignals(outputs, scoresOf(state.isProven)),
    freshnessOutput(ages, { seq: 2, at: NOON }),
  ]);
  return latest;
}

interface Signal {
  readonly bucket: string;
  readonly token_id: string;
  readonly action: 'BUY' | 'SELL' | 'HOLD' | 'SKIP';
  readonly model_prob: number | null;
  readonly edge: number | null;
  readonly edge_net: number | null;
  readonly market_price: number | null;
  readonly kelly_fraction: number;
  readonly suggested_bet: number;
  readonly limit_price: number | null;
  readonly available_usd: number | null;
  readonly best_bid: number | null;
  readonly best_ask: number | null;
  readonly cut: readonly { readonly by: string }[];
  readonly reason_codes: readonly string[];
  readonly buy_no: {
    readonly model_prob: number;
    readonly edge_net: number;
    readonly limit_price: number;
    readonly available_usd: number | null;
    readonly kelly_fraction: number;
    readonly suggested_bet: number;
  } | null;
}

interface SignalsRecord {
  readonly event_id: number;
  readonly signals: readonly Signal[];
  readonly BUY: readonly { readonly stake_usd: number; readonly stakes_usd: readonly number[] }[];
  readonly SELL: readonly { readonly token_id: string; readonly buy_no: Signal['buy_no'] }[];
}

interface Market {
  readonly token_id: string;
  readonly market_price: number | null;
  readonly edge?: number | null;
  readonly signal?: string | null;
}

interface Answers {
  readonly signals: readonly SignalsRecord[];
  readonly usual: readonly SignalsRecord[];
  readonly predictions: readonly { readonly markets: readonly Market[] }[];
  readonly portfolios: readonly z.infer<typeof portfolioRecord>[];
  readonly rebalancings: readonly z.infer<typeof rebalancingRecord>[];
}

/** All four answers to one caller at one instant. */
function answersTo(state: AnyState): Answers {
  const { account, bankroll, threshold } = state;
  const latest = latestOf(state);
  const ages = agesOf(latest, NOON, 'a');
  const late = lateInputs(ages, LIMITS);
  const rendered = (view: RecordView, options = {}) => {
    const audience = audienceOf(view.audiences, 'PRO', options);
    const records = renderAll(view, { latest, late }, audience);
    return JSON.parse(closeAll(view, records, { nowMs: NOON, tickAt: NOON }, ages));
  };
  const moment = { latest, account: 'a', nowMs: NOON, staleAfterMs: LIMITS };
  const portfolios = activeEvents(latest, 'a').map((event) =>
    portfolioOf(eventFacts(event, moment), { positions: held(state), readAt: NOON }, moment),
  );
  return {
    signals: rendered(signalsView(account), { bankrollUsd: bankroll }),
    usual: rendered(signalsView(account)),
    predictions: rendered(predictionView(account)),
    portfolios: portfolios.map((portfolio) => portfolioToWire(WALLET, portfolio, bankroll)),
    rebalancings: portfolios.map((portfolio) =>
      rebalancingToWire(portfolio, { wallet: WALLET, bankroll, threshold }),
    ),
  };
}

const isPassed = ({ reason_codes }: Signal) => reason_codes.includes('PASSED_BY_COUNT');
const byToken = <Row extends { readonly token_id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.token_id, row]));
const check = (test: (answers: Answers, state: AnyState) => void, numRuns = 100) =>
  fc.assert(
    fc.property(anyState, (state) => test(answersTo(state), state)),
    { numRuns },
  );

describe('one sizing behind signals, prediction, portfolio and rebalancing', () => {
  it('meets every action in what it generates', () => {
    const met = new Map<string, number>();
    const count = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
    check(({ signals, portfolios, rebalancings, predictions }) => {
      for (const signal of signals.flatMap((record) => record.signals)) {
        count(`signals ${signal.action}`);
        for (const { by } of signal.cut) count(`cut ${by}`);
        if (signal.buy_no !== null) count(isPassed(signal) ? 'buy No of passed' : 'buy No of open');
      }
      for (const { sizing } of portfolios.flatMap(({ positions }) => positions))
        count(`sizing ${sizing?.action}`);
      for (const { action } of rebalancings.flatMap(({ adjustments }) => adjustments)) count(action);
      for (const { signal } of predictions.flatMap(({ markets }) => markets)) count(`prediction ${signal}`);
    }, 300);
    for (const what of [
      ...['signals BUY', 'signals SELL', 'signals HOLD', 'signals SKIP', 'buy No of passed'],
      'buy No of open',
      ...['cut event_cap', 'cut unproven', 'cut account_cap', 'cut depth', 'cut minimum'],
      ...['sizing ADD_MORE', 'sizing TRIM', 'sizing HOLD', 'sizing null', 'ADD_MORE', 'TRIM'],
      ...['STRONG_BUY', 'BUY', 'SLIGHT_BUY', 'HOLD', 'SELL', 'null'].map((word) => `prediction ${word}`),
    ]) {
      assert.ok((met.get(what) ?? 0) > 0, what);
    }
  });

  it('predicts BUY only where signals says BUY and SELL only where it says SELL, at the same price', () => {
    check(({ usual, predictions }) => {
      const listed = byToken(usual.flatMap(({ signals }) => signals));
      for (const { token_id, market_price, edge, signal } of predictions.flatMap(({ markets }) => markets)) {
        const said = listed.get(token_id);
        const isBuy = signal === 'BUY' || signal === 'STRONG_BUY';
        assert.equal(isBuy, said?.action === 'BUY' && edge !== null && edge !== undefined);
        assert.equal(signal === 'SELL', said?.action === 'SELL' && edge !== null);
        if (said === undefined) continue;
        assert.equal(edge ?? null, said.edge);
        if (said.market_price !== null) assert.equal(market_price, said.market_price);
        if (said.action === 'SKIP') assert.ok(signal === 'HOLD' || signal === null || signal === undefined);
        if (signal === 'STRONG_BUY') assert.ok((edge ?? 0) > 0.15);
        if (signal === 'SLIGHT_BUY') assert.ok((edge ?? 0) > 0.02 && (said.edge_net ?? 0) > 0);
      }
    });
  });

  it('holds in a portfolio what signals bets, and trades nothing where it skips', () => {
    check(({ signals, portfolios }, { bankroll, account }) => {
      if (account.policy.isBuyOnly) return;
      const listed = byToken(signals.flatMap((record) => record.signals));
      for (const { positions } of portfolios) {
        for (const { token_id, outcome, sizing, current_value, analysis } of positions) {
          assert.ok(sizing);
          const said = listed.get(token_id.replace('no-', 'yes-'));
          const bet = outcome === 'Yes' ? said : (said?.buy_no ?? undefined);
          if (said?.action === 'SKIP') assert.deepEqual([sizing.action, sizing.kelly_fraction], [null, null]);
          if (sizing.action === null) continue;
          assert.notEqual(analysis.edge, null);
          assert.equal(sizing.kelly_fraction, bet?.kelly_fraction ?? 0);
          if (sizing.target_value !== null) {
            assert.equal(sizing.target_value, bet?.suggested_bet ?? 0);
            assert.ok(sizing.target_value <= (sizing.kelly_fraction ?? 0) * bankroll + 1e-6);
          }
          if (sizing.action === 'ADD_MORE') {
            assert.ok(bet && (outcome === 'No' || said?.action === 'BUY'));
            assert.equal(sizing.limit_price, bet.limit_price);
            assert.ok((sizing.target_value ?? 0) > current_value);
            assert.ok((sizing.adjustment ?? 0) <= (bet.available_usd ?? Number.POSITIVE_INFINITY) + 1e-6);
          }
          if (sizing.action === 'TRIM') {
            assert.ok(outcome === 'Yes' ? said?.action !== 'HOLD' : said?.action === 'BUY');
            const price = outcome === 'Yes' ? said?.best_bid : 1 - (said?.best_ask ?? 0);
            assert.ok(Math.abs((sizing.limit_price ?? -1) - (price ?? -2)) < 1e-9);
            assert.ok((sizing.target_value ?? 0) < current_value);
          }
        }
      }
    });
  });

  it('rebalances exactly what the portfolio adds to or trims', () => {
    check(({ portfolios, rebalancings }, { threshold }) => {
      portfolios.forEach(({ positions }, index) => {
        const wanted = positions.filter(
          ({ sizing }) => (sizing?.target_value ?? null) !== null && (sizing?.adjustment ?? 0) >= threshold,
        );
        const adjustments = byToken(rebalancings[index]?.adjustments ?? []);
        for (const { token_id, sizing } of wanted) {
          const found = adjustments.get(token_id);
          assert.ok(found);
          assert.deepEqual(
            [found.kelly_fraction, found.target_value, found.adjustment],
            [sizing?.kelly_fraction, sizing?.target_value, sizing?.adjustment],
          );
          if (sizing?.action !== 'HOLD') {
            assert.deepEqual([found.action, found.limit_price], [sizing?.action, sizing?.limit_price]);
          }
        }
        assert.equal(adjustments.size, wanted.length);
      });
    });
  });

  it('opens no gate while an input is stale or late, the forecast is old, or the buckets do not tile', () => {
    check(({ signals, predictions, portfolios, rebalancings }, state) => {
      state.events.forEach((given, index) => {
        const eventId = index + 1;
        const isClosed =
          state.stale.length + state.late.length > 0 ||
          given.ageMs > 300_000 ||
          !given.isPartition ||
          !given.hasForecast ||
          given.real === null;
        if (!isClosed) return;
        const record = signals.find(({ event_id }) => event_id === eventId);
        for (const { action, suggested_bet, buy_no } of record?.signals ?? []) {
          assert.deepEqual([action, suggested_bet, buy_no], ['SKIP', 0, null]);
        }
        assert.deepEqual([record?.BUY, record?.SELL], [[], []]);
        for (const { token_id, signal } of predictions.flatMap(({ markets }) => markets)) {
          if (token_id.startsWith(`yes-${eventId}-`))
            assert.ok(signal !== 'SELL' && !signal?.endsWith('BUY'));
        }
        const portfolio = portfolios.find(({ event }) => event?.id === eventId);
        for (const { sizing } of portfolio?.positions ?? []) assert.equal(sizing?.action, null);
        assert.deepEqual(rebalancings.find(({ event }) => event?.id === eventId)?.adjustments, []);
      });
    });
  });

  it('never stakes more than the caps of event and account, nor than the book holds', () => {
    check(({ signals }, { bankroll, isProven }) => {
      let [ofAccount, ordered] = [0, 0];
      for (const { signals: rows, BUY } of signals) {
        let ofEvent = 0;
        for (const row of rows) {
          for (const bet of [row, ...(row.buy_no === null ? [] : [row.buy_no])]) {
            ofEvent += bet.suggested_bet;
            assert.ok(bet.suggested_bet <= bet.kelly_fraction * bankroll + 1e-6);
            assert.ok(bet.suggested_bet > bet.kelly_fraction * bankroll - 0.01);
            if (bet.available_usd !== null) assert.ok(bet.suggested_bet <= bet.available_usd + 1e-6);
          }
          assert.equal(row.suggested_bet > 0, row.action === 'BUY');
        }
        assert.ok(ofEvent <= bankroll * (isProven ? 0.05 : 0.025) + 1e-6);
        ofAccount += ofEvent;
        ordered += Math.max(ofEvent, BUY[0]?.stake_usd ?? 0);
      }
      assert.ok(ofAccount <= bankroll * 0.1 + 1e-6 && ordered <= bankroll * 0.1 + 1e-6);
    });
  });

  it('never says SELL for an account that only buys, in signals or in predictions', () => {
    check(({ signals, predictions }, { account }) => {
      if (!account.policy.isBuyOnly) return;
      for (const record of signals) {
        assert.deepEqual(record.SELL, []);
        assert.ok(record.signals.every(({ action }) => action !== 'SELL'));
      }
      assert.ok(predictions.every(({ markets }) => markets.every(({ signal }) => signal !== 'SELL')));
    });
  });

  it('puts buckets first that a count has passed while somebody bids for them', () => {
    check(({ signals }) => {
      for (const { signals: rows } of signals) {
        const isOffered = rows.map((row) => row.buy_no !== null && isPassed(row));
        assert.deepEqual(
          isOffered,
          isOffered.toSorted((a, b) => Number(b) - Number(a)),
        );
      }
    });
  });

  it('offers No wherever it says SELL, at 1 minus the bid, and beside no bet on Yes', () => {
    check(({ signals }, { account }) => {
      for (const { signals: rows, SELL } of signals) {
        for (const row of rows) {
          const { buy_no, action, best_bid, suggested_bet, model_prob } = row;
          if (action === 'SELL') assert.ok(buy_no !== null);
          if (buy_no === null) continue;
          assert.ok(action === 'SELL' || (action === 'HOLD' && account.policy.isBuyOnly));
          assert.equal(suggested_bet, 0);
          assert.ok(Math.abs(buy_no.limit_price - (1 - (best_bid ?? 0))) < 1e-4);
          assert.ok(Math.abs(buy_no.model_prob - (1 - (model_prob ?? 0))) < 1e-9);
          assert.ok(buy_no.edge_net >= 0);
        }
        const sold = byToken(rows);
        for (const { token_id, buy_no } of SELL) assert.deepEqual(buy_no, sold.get(token_id)?.buy_no);
      }
    });
  });
});
