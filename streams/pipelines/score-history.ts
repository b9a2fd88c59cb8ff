import { type TrackRecord, type TrackSample, trackRecord } from '../model/track-record.ts';
import type { ScoreRecord, VoidRecord } from '../score-records.ts';

/** A track record covers this many settled events, the last ones. */
const MOST_SAMPLES = 200;

/** The scored forecasts of an account, by horizon in hours, then by forecast. */
export type TrackSamples = Map<number, Map<string, TrackSample>>;

/**
 * Adds a score, corrects an earlier one, or removes that of a row that is void. Returns the new track record of its
 * horizon, or null when nothing changed.
 */
export function recordScore(all: TrackSamples, record: ScoreRecord | VoidRecord): TrackRecord | null {
  if (!putSample(all, record)) return null;
  return trackBefore(all, record.horizonHours, Number.POSITIVE_INFINITY);
}

/** Gives the track record of each horizon from all scores of an account. */
export function trackRecords(
  scores: Iterable<ScoreRecord | VoidRecord>,
): (horizonHours: number | null) => TrackRecord {
  const all: TrackSamples = new Map();
  for (const score of scores) putSample(all, score);
  return (horizonHours) => trackBefore(all, horizonHours, Number.POSITIVE_INFINITY);
}

/** Returns whether the samples have changed. */
function putSample(all: TrackSamples, record: ScoreRecord | VoidRecord): boolean {
  const { horizonHours, forecastId } = record;
  const samples = all.get(horizonHours) ?? new Map<string, TrackSample>();
  all.set(horizonHours, samples);
  const sample = record.status === 'void' ? null : sampleOf(record);
  if (sample === null) return samples.delete(forecastId);
  samples.set(forecastId, sample);
  if (samples.size > MOST_SAMPLES) {
    const [oldest] = [...samples].reduce((a, b) => (b[1].endAt < a[1].endAt ? b : a));
    samples.delete(oldest);
  }
  return true;
}

function sampleOf({ origin, endAt, model, pace, market, top, wonLo }: ScoreRecord): TrackSample | null {
  if (model.crps === null || pace.crps === null || model.isCovered === null || top === null) return null;
  return {
    isLive: origin === 'live',
    endAt,
    isCovered: model.isCovered,
    topProb: top.prob,
    isTopWon: top.lo === wonLo,
    againstPace: model.crps - pace.crps,
    againstMarket: market === null ? null : model.logScore - market.logScore,
  };
}

/** The track record from the events that had ended at `at`, even if they were scored later. */
export function trackBefore(all: TrackSamples, horizonHours: number | null, at: number): TrackRecord {
  const samples = horizonHours === null ? undefined : all.get(horizonHours)?.values();
  return trackRecord([...(samples ?? [])].filter(({ endAt }) => endAt <= at));
}
