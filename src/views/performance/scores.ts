import {
  type AccountId,
  type ForecastOrigin,
  HORIZON_HOURS,
  type PredictedBucket,
  type ScoreRecord,
  type VoidRecord,
} from '../../../streams/internal.ts';
import type { Latest } from '../latest.ts';

const ORIGINS: readonly ForecastOrigin[] = ['live', 'history'];

/** A settled forecast with its published buckets, which are empty when its row is gone. */
export interface ScoredForecast {
  readonly score: ScoreRecord;
  readonly buckets: readonly PredictedBucket[];
}

/** All scores, ordered by close, then event, then horizon. */
export function scoredForecasts(latest: Latest): readonly ScoredForecast[] {
  return Array.from(latest.all('scores'))
    .flatMap(({ key, record: score }): readonly ScoredForecast[] => {
      if (score.status === 'void') return [];
      const row = latest.get('predictions', key)?.record;
      return [{ score, buckets: row?.forecastId === score.forecastId ? row.buckets : [] }];
    })
    .sort(({ score: a }, { score: b }) => byClose(a, b));
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
  readonly origin: ForecastOrigin;
  /** Null for all of them together. */
  readonly account: AccountId | null;
  readonly horizonHours: number | null;
  readonly forecasts: readonly ScoredForecast[];
}

/** Live and history separately; within each, every account and all together, every horizon and all together. */
export function scoreGroups(
  forecasts: readonly ScoredForecast[],
  accounts: readonly AccountId[],
): readonly ScoreGroup[] {
  return ORIGINS.flatMap((origin) =>
    [null, ...accounts].flatMap((account) =>
      [null, ...HORIZON_HOURS].map((horizonHours) => ({
        origin,
        account,
        horizonHours,
        forecasts: forecasts.filter(
          ({ score }) =>
            score.origin === origin &&
            (account === null || score.account === account) &&
            (horizonHours === null || score.horizonHours === horizonHours),
        ),
      })),
    ),
  );
}
