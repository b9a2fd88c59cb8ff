import { loneStake, provenShare, wantedStake } from '../model/sizing.ts';
import { type BuyStrategy, STRATEGY_STAKES } from '../model/strategy.ts';
import type { Confidence } from '../model/time-left.ts';
import type { TrackRecord } from '../model/track-record.ts';
import type { BucketSignal, EventSignals } from '../signal-records.ts';

export interface Bettor {
  readonly bankrollUsd: number;
  /** Whether to include horizons at which the model has not been shown to be better than its rivals. */
  readonly includesUnproven: boolean;
  /** Whether the account's signals never say SELL. */
  readonly isBuyOnly: boolean;
}

/** The caller who states nothing. */
export const USUAL_BETTOR: Bettor = { bankrollUsd: 1_000, includesUnproven: true, isBuyOnly: false };

/** Why a bet is smaller than a quarter of the Kelly stake, and by what share of the bankroll. */
export interface Cut {
  readonly by: 'event_cap' | 'unproven' | 'account_cap' | 'depth' | 'minimum';
  readonly fraction: number;
}

/** A bet for one bankroll. */
export interface SizedBet {
  /** The share of the bankroll, to 4 decimals, and the bet in whole cents. */
  readonly fraction: number;
  readonly betUsd: number;
  /** The best price of the side to trade with; null when there is nothing to trade. */
  readonly limitPrice: number | null;
  /** What the book holds at that price, USD in whole cents; null while it is unknown. */
  readonly availableUsd: number | null;
  readonly cuts: readonly Cut[];
}

export interface SizedSignal extends BucketSignal, SizedBet {
  readonly strategy: BuyStrategy | 'RISK_MANAGEMENT' | null;
  /** The bet on No, for someone who holds no Yes to sell. */
  readonly no: SizedBet | null;
}

export interface SizedOrder {
  readonly strategy: BuyStrategy;
  readonly stakeFraction: number;
  readonly stakeUsd: number;
  /** The stake is split in proportion to the prices, so that each bucket would pay the same. */
  readonly legs: readonly { readonly signal: SizedSignal; readonly stakeUsd: number }[];
}

interface SizedSignals {
  /** Every bucket, in the order of the record. */
  readonly signals: readonly SizedSignal[];
  readonly buy: SizedOrder | null;
  readonly sells: readonly SizedSignal[];
}

/** Whether there is anything to say about a bucket: it can still win, or somebody bids enough for it. */
export function isListed({ standing, no }: SizedSignal): boolean {
  return standing !== 'dead' || no !== null;
}

/** How far the track record is to be trusted: not at all before the model is shown to be better than the market. */
export function confidenceIn({ isProven, confidence }: TrackRecord): Confidence {
  return isProven ? confidence : 'LOW';
}

/**
 * The decision on every bucket of an event for one caller: action, price, size, and what was cut. Signals, predictions,
 * portfolios, rebalancing and the decisions to be scored all show this one. Stakes are rounded down, so that their sums
 * stay within the caps.
 */
export function sizedSignals(record: EventSignals, bettor: Bettor): SizedSignals {
  const mayBet = !isRefused(record, bettor);
  const all = record.buckets.map((bucket) => sizeOf(mayBet ? bucket : skipUnproven(bucket), record, bettor));
  const buy = orderOf(record, all, bettor.bankrollUsd);
  const ordered = new Set(buy?.legs.map(({ signal }) => signal.token));
  const signals = all.map((signal) =>
    ordered.has(signal.token) ? { ...signal, strategy: buy?.strategy ?? null } : signal,
  );
  return { signals, buy, sells: signals.filter(({ action }) => action === 'SELL') };
}

/**
 * What the caller is told to do with a bucket, as in `sizedSignals`, for records that show nothing else of it and are rendered
 * hundreds of times a second. A bet too small to be made is none.
 */
export function actionFor(
  bucket: BucketSignal,
  record: EventSignals,
  bettor: Bettor,
): BucketSignal['action'] {
  if (isRefused(record, bettor)) return 'SKIP';
  const { action } = bucket;
  if (action === 'BUY') return yesBetOf(bucket, record, bettor).betUsd === 0 ? 'HOLD' : 'BUY';
  return action === 'SELL' && bettor.isBuyOnly ? 'HOLD' : action;
}

function isRefused({ track }: EventSignals, { includesUnproven }: Bettor): boolean {
  return !track.isProven && !includesUnproven;
}

function skipUnproven(bucket: BucketSignal): BucketSignal {
  const codes = bucket.action === 'SKIP' ? bucket.codes : [];
  return { ...bucket, action: 'SKIP', noKelly: null, codes: ['UNPROVEN_HORIZON', ...codes] };
}

function sizeOf(bucket: BucketSignal, record: EventSignals, bettor: Bettor): SizedSignal {
  const { action, codes, noKelly, bid } = bucket;
  if (action === 'BUY') {
    const bet = yesBetOf(bucket, record, bettor);
    if (bet.betUsd === 0) return sized(bucket, bet, { action: 'HOLD', codes: ['BET_TOO_SMALL'] });
    if (bet.availableUsd === null) return sized(bucket, bet, { action, codes: [...codes, 'DEPTH_UNKNOWN'] });
    return sized(bucket, bet, bucket);
  }
  const noPrice = bid === null ? null : 1 - bid;
  const no =
    action === 'SKIP' || noKelly === null
      ? null
      : betOf(noKelly, noPrice, availableAt(noPrice, bucket.bidSize), record, bettor);
  if (action !== 'SELL') return sized(bucket, NO_BET, bucket, null, no);
  if (bettor.isBuyOnly) return sized(bucket, NO_BET, { action: 'HOLD', codes }, null, no);
  const sale = { limitPrice: bid, availableUsd: availableAt(bid, bucket.bidSize) };
  return sized(bucket, { ...NO_BET, ...sale }, bucket, 'RISK_MANAGEMENT', no);
}

/** Field by field: a copy with further fields takes fifty times as long, and there are thousands of buckets a second. */
function sized(
  bucket: BucketSignal,
  bet: SizedBet,
  { action, codes }: Pick<BucketSignal, 'action' | 'codes'>,
  strategy: SizedSignal['strategy'] = null,
  no: SizedBet | null = null,
): SizedSignal {
  return {
    title: bucket.title,
    token: bucket.token,
    noToken: bucket.noToken,
    lo: bucket.lo,
    hi: bucket.hi,
    moneyness: bucket.moneyness,
    standing: bucket.standing,
    prob: bucket.prob,
    price: bucket.price,
    bid: bucket.bid,
    ask: bucket.ask,
    bidSize: bucket.bidSize,
    askSize: bucket.askSize,
    edge: bucket.edge,
    edgeNet: bucket.edgeNet,
    kelly: bucket.kelly,
    noKelly: bucket.noKelly,
    fee: bucket.fee,
    action,
    codes,
    fraction: bet.fraction,
    betUsd: bet.betUsd,
    limitPrice: bet.limitPrice,
    availableUsd: bet.availableUsd,
    cuts: bet.cuts,
    strategy,
    no,
  };
}

const NO_BET: SizedBet = { fraction: 0, betUsd: 0, limitPrice: null, availableUsd: null, cuts: [] };

function availableAt(price: number | null, shares: number | null): number | null {
  return price === null || shares === null ? null : roundDown(price * shares, 100);
}

function yesBetOf({ kelly, ask, askSize }: BucketSignal, record: EventSignals, bettor: Bettor): SizedBet {
  return betOf(kelly ?? 0, ask, availableAt(ask, askSize), record, bettor);
}

function betOf(
  kelly: number,
  limitPrice: number | null,
  availableUsd: number | null,
  { eventShare, accountShare, track }: EventSignals,
  { bankrollUsd }: Bettor,
): SizedBet {
  const cuts: Cut[] = [];
  let left = wantedStake(kelly);
  const reduceTo = (most: number, by: Cut['by']) => {
    if (most >= left) return;
    cuts.push({ by, fraction: left - most });
    left = most;
  };
  reduceTo(loneStake(kelly) * eventShare, 'event_cap');
  reduceTo(left * provenShare(track.isProven), 'unproven');
  reduceTo(left * accountShare, 'account_cap');
  if (availableUsd !== null) reduceTo(availableUsd / bankrollUsd, 'depth');
  const fraction = roundDown(left, 10_000);
  const betUsd = roundDown(fraction * bankrollUsd, 100);
  if (betUsd === 0) reduceTo(0, 'minimum');
  return { fraction: betUsd === 0 ? 0 : fraction, betUsd, limitPrice, availableUsd, cuts };
}

/** Buys the same number of shares of each bucket, at most as many as the thinnest book holds. */
function orderOf(
  { order, track, accountShare }: EventSignals,
  signals: readonly SizedSignal[],
  bankrollUsd: number,
): SizedOrder | null {
  if (order === null) return null;
  const picked = order.tokens.flatMap((token) => signals.find((signal) => signal.token === token) ?? []);
  if (picked.length !== order.tokens.length || picked.some(({ action }) => action !== 'BUY')) return null;
  const wanted = STRATEGY_STAKES[order.strategy] * provenShare(track.isProven) * accountShare * bankrollUsd;
  const priceOfAll = picked.reduce((sum, { ask }) => sum + (ask ?? 0), 0);
  const shares = picked.reduce((most, { askSize }) => Math.min(most, askSize ?? most), wanted / priceOfAll);
  const stakeFraction = roundDown((shares * priceOfAll) / bankrollUsd, 10_000);
  const stakeUsd = roundDown(stakeFraction * bankrollUsd, 100);
  if (stakeUsd === 0) return null;
  const legs = picked.map((signal) => ({
    signal: { ...signal, strategy: order.strategy },
    stakeUsd: roundDown((stakeUsd * (signal.ask ?? 0)) / priceOfAll, 100),
  }));
  return { strategy: order.strategy, stakeFraction, stakeUsd, legs };
}

/** Rounds down to a multiple of 1 / `parts`, tolerating binary rounding errors. */
function roundDown(value: number, parts: number): number {
  return Math.floor(value * parts + 1e-6) / parts;
}
