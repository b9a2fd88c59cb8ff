import {
  type ForecastOrigin,
  HORIZON_HOURS,
  median,
  type PublishedModel,
  percentile,
  type ScoreRecord,
  type VoidRecord,
} from '../../../streams/internal.ts';
import { MOST_LISTED_ACCOUNTS } from '../../contract/account.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type {
  annotationRecord,
  forecastErrorRecord,
  overviewRecord,
  sampleRecord,
  voidRecord,
} from '../../contract/records/performance.ts';
import type { AccountPath } from '../account-path.ts';
import { round4 } from '../round.ts';
import { trackRecordsToWire } from './track-records.ts';
import type { WinRates } from './win-rates.ts';

/** The overview of spec 2.9, of these scores and the track records of these accounts. */
export function overviewToWire(
  scores: readonly ScoreRecord[],
  { byConfidence: { HIGH, MEDIUM, LOW }, bySide }: WinRates,
  accounts: readonly AccountPath[],
  updatedAt: number,
): Omit<RecordOf<typeof overviewRecord>, 'timestamp'> {
  const comparable = withEveryHorizon(scores);
  return {
    ...byHorizon((hours) => errorToWire(scores, hours)),
    win_rate: { HIGH: round4(HIGH.percent), MEDIUM: round4(MEDIUM.percent), LOW: round4(LOW.percent) },
    win_rate_sample_size: { HIGH: HIGH.sampleSize, MEDIUM: MEDIUM.sampleSize, LOW: LOW.sampleSize },
    win_rate_unproven: { HIGH: HIGH.nUnproven, MEDIUM: MEDIUM.nUnproven, LOW: LOW.nUnproven },
    bets_by_side: { yes: sideToWire(bySide.Yes), no: sideToWire(bySide.No) },
    last_updated: isoOf(updatedAt),
    comparable: {
      n: comparable.length / HORIZON_HOURS.length,
      ...byHorizon((hours) => errorToWire(comparable, hours)),
    },
    by_origin: {
      live: byHorizon((hours) => figuresToWire(ofOrigin(scores, 'live'), hours)),
      history: byHorizon((hours) => figuresToWire(ofOrigin(scores, 'history'), hours)),
    },
    ...(accounts.length <= MOST_LISTED_ACCOUNTS
      ? { track_records: trackRecordsToWire(scores, accounts) }
      : { track_records: [], omitted_accounts: accounts.length }),
  };
}

function sideToWire({ bets, events, wonPercent, returnPercent }: WinRates['bySide']['Yes']) {
  return { bets, events, won_percent: round4(wonPercent), return_percent: round4(returnPercent) };
}

function byHorizon<Figures>(errorAt: (hours: number) => Figures) {
  return { error_24h: errorAt(24), error_48h: errorAt(48), error_72h: errorAt(72) };
}

function ofOrigin(scores: readonly ScoreRecord[], origin: ForecastOrigin): readonly ScoreRecord[] {
  return scores.filter((score) => score.origin === origin);
}

/** The scores of the events that have an error at every horizon. */
function withEveryHorizon(scores: readonly ScoreRecord[]): readonly ScoreRecord[] {
  const counts = new Map<number, number>();
  const measured = scores.filter(({ errorPercent }) => errorPercent !== null);
  for (const { eventId } of measured) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
  return measured.filter(({ eventId }) => counts.get(eventId) === HORIZON_HOURS.length);
}

function errorToWire(scores: readonly ScoreRecord[], hours: number) {
  const priced = scores.filter(({ market }) => market !== null);
  return {
    ...figuresToWire(scores, hours),
    n_market: figuresToWire(priced, hours).sample_size,
    live: figuresToWire(ofOrigin(scores, 'live'), hours),
    backfilled: figuresToWire(ofOrigin(scores, 'history'), hours),
  };
}

function figuresToWire(scores: readonly ScoreRecord[], hours: number): RecordOf<typeof forecastErrorRecord> {
  const errors = scores
    .flatMap(({ horizonHours, errorPercent }) =>
      horizonHours === hours && errorPercent !== null ? [errorPercent] : [],
    )
    .sort((a, b) => a - b);
  return {
    median: round4(median(errors)),
    p90: round4(percentile(errors, 90)),
    sample_size: errors.length,
  };
}

/** One sample of the history of spec 2.9, at the close of its event. `account` is the path segment. */
export function sampleToWire(
  score: ScoreRecord,
  errorPercent: number,
  account: string,
): RecordOf<typeof sampleRecord> {
  return {
    timestamp: isoOf(score.endAt),
    error_pct: round4(errorPercent),
    event_id: score.eventId,
    account,
    origin: score.origin,
    p50: score.p50,
    final_count: score.final,
    model_version: score.modelVersion,
    has_market: score.market !== null,
  };
}

/** A forecast that counts for nothing. `account` is the path segment. */
export function voidToWire(record: VoidRecord, account: string): RecordOf<typeof voidRecord> {
  return {
    timestamp: isoOf(record.endAt),
    event_id: record.eventId,
    account,
    origin: record.origin,
    forecast_id: record.forecastId,
    forecast_ts: record.madeAt,
    model_version: record.modelVersion,
  };
}

/** One annotation for each model, in the order of their first forecasts. */
export function annotationsToWire(
  models: readonly PublishedModel[],
): readonly RecordOf<typeof annotationRecord>[] {
  return models
    .toSorted((a, b) => a.publishedAt - b.publishedAt)
    .map(({ model, publishedAt }) => ({
      timestamp: isoOf(publishedAt),
      label: `model ${model}`,
      commit: model,
    }));
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
