import {
  type AccountId,
  contains,
  type ForecastOrigin,
  HORIZON_HOURS,
  type ScoreRecord,
  type VoidRecord,
} from '../../../streams/internal.ts';
import type { Latest } from '../latest.ts';
import { partsOf, sortedInSteps } from './in-steps.ts';

const ORIGINS: readonly ForecastOrigin[] = ['live', 'history'];

/** A settled forecast with the published probabilities of its buckets, which are empty when its row is gone. */
export interface ScoredForecast {
  readonly score: ScoreRecord;
  readonly probs: Float64Array;
  /** The market's probabilities at that instant; empty unless every bucket had a price. */
  readonly market: Float64Array;
  /** The index of the bucket that holds the final count, or -1. */
  readonly won: number;
  /** The index of the bucket that the scores took for the winner, or -1. */
  readonly wonPlace: number;
}

/** The scores of one account or of all, ordered by close, then event, then horizon. */
export function settledScores(latest: Latest, account?: AccountId): readonly ScoreRecord[] {
  const scores = account === undefined ? latest.all('scores') : latest.ofAccount('scores', account);
  return Array.from(scores)
    .flatMap(({ record }) => (record.status === 'void' ? [] : [record]))
    .sort(byClose);
}

/** Returns the settled forecasts in the same order. Their rows may have to be read from the store, one at each step. */
export function createForecastReader(latest: Latest): () => Generator<void, readonly ScoredForecast[]> {
  let known = new Map<string, ScoredForecast>();
  return function* () {
    const read = new Map<string, ScoredForecast>();
    for (const { key, record } of Array.from(latest.all('scores'))) {
      if (record.status === 'void') continue;
      const before = known.get(key);
      read.set(key, before?.score === record ? before : forecastOf(latest, key, record));
      yield;
    }
    known = read;
    return yield* sortedInSteps([...read.values()], ({ score: a }, { score: b }) => byClose(a, b));
  };
}

function forecastOf(latest: Latest, key: string, score: ScoreRecord): ScoredForecast {
  const row = latest.get('predictions', key)?.record;
  const buckets = row?.forecastId === score.forecastId ? row.buckets : [];
  const prices = buckets.flatMap(({ price }) => (price === null ? [] : [price]));
  const sum = prices.reduce((total, price) => total + price, 0);
  const isPriced = prices.length === buckets.length && sum > 0;
  return {
    score,
    probs: Float64Array.from(buckets, ({ prob }) => prob),
    market: Float64Array.from(isPriced ? prices : [], (price) => price / sum),
    wonPlace: score.wonLo === null ? -1 : buckets.findIndex(({ lo }) => lo === score.wonLo),
    won: buckets.findIndex((bucket) => contains(bucket, score.final)),
  };
}

/** The forecasts that count for nothing, in the same order. */
export function voidForecasts(latest: Latest): readonly VoidRecord[] {
  return Array.from(latest.all('scores'))
    .flatMap(({ record }) => (record.status === 'void' ? [record] : []))
    .sort(byClose);
}

function byClose(a: ScoreRecord | VoidRecord, b: ScoreRecord | VoidRecord): number {
  return a.endAt - b.endAt || a.eventId - b.eventId || a.horizonHours - b.horizonHours;
}

/** When the last score came in, or null before the first. */
export function lastScoredAt(latest: Latest): number | null {
  let last: number | null = null;
  for (const { at } of latest.all('scores')) if (last === null || at > last) last = at;
  return last;
}

export interface ScoreGroup {
  /** Unique among the groups. */
  readonly name: string;
  readonly origin: ForecastOrigin;
  /** Null for all of them together. */
  readonly account: AccountId | null;
  readonly horizonHours: number | null;
  readonly forecasts: readonly ScoredForecast[];
}

/** Live and history separately; within each, every account and all together, every horizon and all together. In small steps. */
export function* scoreGroups(
  forecasts: readonly ScoredForecast[],
  accounts: readonly AccountId[],
): Generator<void, readonly ScoreGroup[]> {
  const groups = new Map<string, ScoreGroup & { readonly forecasts: ScoredForecast[] }>();
  for (const origin of ORIGINS) {
    for (const account of [null, ...accounts]) {
      for (const horizonHours of [null, ...HORIZON_HOURS]) {
        const name = nameOf(origin, account, horizonHours);
        groups.set(name, { name, origin, account, horizonHours, forecasts: [] });
      }
      yield;
    }
  }
  for (const part of partsOf(forecasts)) {
    yield;
    for (const forecast of part) {
      const { origin, account: own, horizonHours: hours } = forecast.score;
      groups.get(nameOf(origin, null, null))?.forecasts.push(forecast);
      groups.get(nameOf(origin, null, hours))?.forecasts.push(forecast);
      groups.get(nameOf(origin, own, null))?.forecasts.push(forecast);
      groups.get(nameOf(origin, own, hours))?.forecasts.push(forecast);
    }
  }
  return [...groups.values()];
}

function nameOf(origin: ForecastOrigin, account: AccountId | null, horizonHours: number | null): string {
  return `${origin} ${horizonHours} ${account ?? ''}`;
}
