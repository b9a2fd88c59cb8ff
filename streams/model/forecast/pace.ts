import { HOUR_MS } from '../durations.ts';
import { gatherOne, poissonMixture } from './mixture.ts';
import { type AccountSeries, MISSING } from './series.ts';
import type { FinalCount } from './simulate.ts';

const PACE_HOURS = 168;
/** An account silent for a week may still post. */
const LEAST_POSTS = 0.5;

/** The usual baseline: the pace of the last seven days continues, with Poisson noise only. */
export function paceFinalCount(
  { counts, countThisHour, now }: AccountSeries,
  { endAt, startAt, count }: { readonly startAt: number; readonly endAt: number; readonly count: number },
): FinalCount {
  if (now >= endAt) return { count, paths: Float64Array.of(1), floorMedian: null };
  let posts = Math.max(0, countThisHour);
  let hours = countThisHour === MISSING ? 0 : (now % HOUR_MS) / HOUR_MS;
  for (let index = counts.length - 1; index >= 0 && hours < PACE_HOURS; index--) {
    const inHour = counts[index] ?? MISSING;
    if (inHour === MISSING) continue;
    posts += inHour;
    hours += 1;
  }
  const rate = Math.max(LEAST_POSTS, posts) / Math.max(1, hours);
  const mean = (rate * (endAt - Math.max(now, startAt))) / HOUR_MS;
  return { count, paths: poissonMixture(gatherOne(mean)), floorMedian: mean + 5 };
}
