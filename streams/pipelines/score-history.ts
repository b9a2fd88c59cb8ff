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
  const { horizonHours, forecastId } = record;
  const samples = all.get(horizonHours) ?? new Map<string, TrackSample>();
  all.set(horizonHours, samples);
  const sample = record.status === 'void' ? null : sampleOf(record);
  if (sample !== null) samples.set(forecastId, sample);
  else if (!samples.delete(forecastId)) return null;
  if (samples.size > MOST_SAMPLES) {
    const [oldest] = [...samples].reduce((a, b) => (b[1].endAt < a[1].endAt ? b : a));
    samples.delete(oldest);
  }
  return trackRecord([...samples.values()]);
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
