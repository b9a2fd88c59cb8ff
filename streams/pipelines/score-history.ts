import { type TrackRecord, type TrackSample, trackRecord } from '../model/track-record.ts';
import type { ScoreRecord } from '../score-records.ts';

/** A track record covers this many settled events, the last ones. */
const MOST_SAMPLES = 200;

/** The scored forecasts of an account, by horizon in hours, then by event. */
export type TrackSamples = Map<number, Map<number, TrackSample>>;

/** Adds a score or corrects an earlier one. Returns the new track record of its horizon, or null when nothing changed. */
export function recordScore(all: TrackSamples, score: ScoreRecord): TrackRecord | null {
  const { horizonHours, eventId, endAt, model, pace, market, top, wonLo } = score;
  if (model.crps === null || pace.crps === null || model.isCovered === null || top === null) return null;
  const samples = all.get(horizonHours) ?? new Map<number, TrackSample>();
  all.set(horizonHours, samples);
  samples.set(eventId, {
    endAt,
    isCovered: model.isCovered,
    topProb: top.prob,
    isTopWon: top.lo === wonLo,
    againstPace: model.crps - pace.crps,
    againstMarket: market === null ? null : model.logScore - market.logScore,
  });
  if (samples.size > MOST_SAMPLES) {
    const [oldest] = [...samples].reduce((a, b) => (b[1].endAt < a[1].endAt ? b : a));
    samples.delete(oldest);
  }
  return trackRecord([...samples.values()]);
}

/** The track record from the events that had ended at `at`, even if they were scored later. */
export function trackBefore(all: TrackSamples, horizonHours: number | null, at: number): TrackRecord {
  const samples = horizonHours === null ? undefined : all.get(horizonHours)?.values();
  return trackRecord([...(samples ?? [])].filter(({ endAt }) => endAt <= at));
}
