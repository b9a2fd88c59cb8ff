import { type BuyStrategy, STRATEGY_STAKES } from '../model/strategy.ts';
import type { BucketSignal, EventSignals } from '../signal-records.ts';

export interface Bettor {
  readonly bankrollUsd: number;
  /** Whether to include horizons at which the model has not been shown to be better than its rivals. */
  readonly includesUnproven: boolean;
}

export interface SizedSignal extends BucketSignal {
  readonly strategy: BuyStrategy | 'RISK_MANAGEMENT' | null;
  /** The share of the bankroll, to 4 decimals, and the bet in whole cents. */
  readonly fraction: number;
  readonly betUsd: number;
}

export interface SizedOrder {
  readonly strategy: BuyStrategy;
  readonly stakeFraction: number;
  readonly stakeUsd: number;
  /** The stake is split in proportion to the prices, so that each bucket would pay the same. */
  readonly legs: readonly { readonly signal: SizedSignal; readonly stakeUsd: number }[];
}

interface SizedSignals {
  readonly signals: readonly SizedSignal[];
  readonly buy: SizedOrder | null;
  readonly sells: readonly SizedSignal[];
}

/** The signals of an event for one caller. Stakes are rounded down, so that their sum stays below the cap. */
export function sizedSignals(record: EventSignals, bettor: Bettor): SizedSignals {
  const isUnproven = !record.track.isProven && !bettor.includesUnproven;
  const sized = record.buckets.map((bucket) =>
    sizeOf(isUnproven ? skipUnproven(bucket) : bucket, bettor.bankrollUsd),
  );
  const buy = orderOf(record, sized, bettor.bankrollUsd);
  const strategyOf = ({ action, token }: SizedSignal): SizedSignal['strategy'] => {
    if (action === 'SELL') return 'RISK_MANAGEMENT';
    return buy?.legs.some(({ signal }) => signal.token === token) ? buy.strategy : null;
  };
  const signals = sized.map((signal) => ({ ...signal, strategy: strategyOf(signal) }));
  return { signals, buy, sells: signals.filter(({ action }) => action === 'SELL') };
}

function skipUnproven(bucket: BucketSignal): BucketSignal {
  const codes = bucket.action === 'SKIP' ? bucket.codes : [];
  return { ...bucket, action: 'SKIP', stake: 0, codes: ['UNPROVEN_HORIZON', ...codes] };
}

function sizeOf(bucket: BucketSignal, bankrollUsd: number): SizedSignal {
  const fraction = roundDown(bucket.stake, 10_000);
  const betUsd = roundDown(fraction * bankrollUsd, 100);
  if (bucket.action === 'BUY' && betUsd === 0) {
    return { ...bucket, action: 'HOLD', codes: ['BET_TOO_SMALL'], strategy: null, fraction: 0, betUsd };
  }
  return { ...bucket, strategy: null, fraction, betUsd };
}

function orderOf(
  { order }: EventSignals,
  sized: readonly SizedSignal[],
  bankrollUsd: number,
): SizedOrder | null {
  if (order === null) return null;
  const picked = order.tokens.flatMap((token) => sized.find((signal) => signal.token === token) ?? []);
  if (picked.length !== order.tokens.length || picked.some(({ action }) => action !== 'BUY')) return null;
  const stakeFraction = STRATEGY_STAKES[order.strategy];
  const stakeUsd = roundDown(stakeFraction * bankrollUsd, 100);
  const priceOfAll = picked.reduce((sum, { price }) => sum + (price ?? 0), 0);
  const legs = picked.map((signal) => ({
    signal: { ...signal, strategy: order.strategy },
    stakeUsd: roundDown((stakeUsd * (signal.price ?? 0)) / priceOfAll, 100),
  }));
  return { strategy: order.strategy, stakeFraction, stakeUsd, legs };
}

/** Rounds down to a multiple of 1 / `parts`, tolerating binary rounding errors. */
function roundDown(value: number, parts: number): number {
  return Math.floor(value * parts + 1e-6) / parts;
}
