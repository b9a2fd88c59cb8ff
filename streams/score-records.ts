import type { AccountId, ForecastOrigin } from './observation.ts';

/** How one forecaster did on one event. */
export interface Score {
  readonly crps: number | null;
  readonly logScore: number;
  readonly brier: number;
  /** Whether the outcome lies in p5..p95, and its place in the distribution, 0 to 1. */
  readonly isCovered: boolean | null;
  readonly pit: number | null;
}

/** The forecast of the difference between the settled and our own final count, in posts. */
export interface SettlementScore {
  readonly offset: number;
  readonly p50: number;
  readonly crps: number;
  readonly isCovered: boolean;
}

/** A row of the ledger that was made to be scored. Its result is stored under the key of the row. */
interface Scorable {
  readonly forecastId: string;
  readonly eventId: number;
  readonly account: AccountId;
  readonly origin: ForecastOrigin;
  readonly horizonHours: number;
  readonly modelVersion: string;
  readonly madeAt: number;
  readonly endAt: number;
}

/** A row that counts for nothing, as the window or the buckets of its event are no longer those it was made for. */
export interface VoidRecord extends Scorable {
  readonly status: 'void';
}

/** The scores of a row once its event is settled. */
export interface ScoreRecord extends Scorable {
  readonly status: 'settled';
  /** The count that settled the event. */
  readonly final: number;
  readonly p50: number;
  /** |p50 - final| / final in percent; null when the final count is 0. */
  readonly errorPercent: number | null;
  /** The forecast of the settled count. */
  readonly model: Score;
  readonly pace: Score;
  /** The forecast of our own count, taken for one of the settled count; null where the row has none. */
  readonly own: Score | null;
  /** How the forecast of settled minus own did; null where the row has none or our own final count is not known. */
  readonly settlement: SettlementScore | null;
  /** Null where not every bucket had a price. */
  readonly market: Score | null;
  /** Lower bound of the bucket that won; null when no bucket holds the final count. */
  readonly wonLo: number | null;
  /** The bucket the model thought most probable. */
  readonly top: { readonly lo: number; readonly prob: number } | null;
}
