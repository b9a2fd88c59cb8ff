import { median, percentile, type ScoreRecord } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type {
  annotationRecord,
  forecastErrorRecord,
  overviewRecord,
  sampleRecord,
} from '../../contract/records/performance.ts';
import { round4 } from '../round.ts';
import type { WinRates } from './win-rates.ts';

/** The overview of spec 2.9. */
export function overviewToWire(
  scores: readonly ScoreRecord[],
  { byConfidence: { HIGH, MEDIUM, LOW } }: WinRates,
  updatedAt: number,
): Omit<RecordOf<typeof overviewRecord>, 'timestamp'> {
  return {
    ...errorsToWire(scores),
    win_rate: { HIGH: round4(HIGH.percent), MEDIUM: round4(MEDIUM.percent), LOW: round4(LOW.percent) },
    win_rate_sample_size: { HIGH: HIGH.sampleSize, MEDIUM: MEDIUM.sampleSize, LOW: LOW.sampleSize },
    last_updated: isoOf(updatedAt),
    by_origin: {
      live: errorsToWire(scores.filter(({ origin }) => origin === 'live')),
      history: errorsToWire(scores.filter(({ origin }) => origin === 'history')),
    },
  };
}

function errorsToWire(scores: readonly ScoreRecord[]) {
  return {
    error_24h: errorToWire(scores, 24),
    error_48h: errorToWire(scores, 48),
    error_72h: errorToWire(scores, 72),
  };
}

function errorToWire(scores: readonly ScoreRecord[], hours: number): RecordOf<typeof forecastErrorRecord> {
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
  };
}

/** One annotation for the first use of each model. Each sample names its own fit. */
export function annotationsToWire(
  scores: readonly ScoreRecord[],
): readonly RecordOf<typeof annotationRecord>[] {
  const first = new Map<string, ScoreRecord>();
  for (const score of scores) {
    const model = score.modelVersion.split('+')[0] ?? score.modelVersion;
    const earlier = first.get(model);
    if (earlier === undefined || score.madeAt < earlier.madeAt) first.set(model, score);
  }
  return Array.from(first, ([model, { madeAt, modelVersion }]) => ({
    timestamp: isoOf(madeAt),
    label: `model ${model}`,
    commit: modelVersion,
  })).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
