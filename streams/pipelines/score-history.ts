import { type TrackRecord, type TrackSample, trackRecord } from '../model/track-record.ts';
import type { ScoreRecord } from '../score-records.ts';

/** The record of a horizon is that of so many settled events, the last ones. */
const MOST_SAMPLES = 200;

/** The measured forecasts of an account: by horizon in hours, then by event. */
export type TrackSamples = Map<number, Map<number, TrackSample>>;

/** Adds a score, in the place of the one it corrects. The new record of its horizon; null where it changes nothing. */
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

/** The record of a horizon as it was at `at`: of the events that had ended by then, whenever they were scored. */
export function trackBefore(all: TrackSamples, horizonHours: number | null, at: number): TrackRecord {
  const samples = horizonHours === null ? undefined : all.get(horizonHours)?.values();
  return trackRecord([...(samples ?? [])].filter(({ endAt }) => endAt <= at));
}
