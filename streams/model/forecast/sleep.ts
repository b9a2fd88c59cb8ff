import { HOUR_MS } from '../durations.ts';
import { lowerBound } from '../sorted-times.ts';
import { clockHour } from './new-york.ts';

/** A silence this long is sleep. */
export const SLEEP_MS = 4 * HOUR_MS;
const MEMORY_HOURS = 56 * 24;
/** No older post matters. */
export const SLEEP_MEMORY_MS = (MEMORY_HOURS + 2 * 24) * HOUR_MS;
/** The newest hours are left out, as they may lie in a long silence that has not ended yet. */
const UNKNOWN_HOURS = 48;
const CLOCK_REACH_HOURS = 2;
/** Past waits between these multiples of the present one are similar to it. */
const SIMILAR_FROM = 0.75;
const SIMILAR_TO = 1.33;
/** A shorter wait only shows that the account is awake. */
const LEAST_WAIT_MS = HOUR_MS / 10;
const PSEUDO_COUNTS = 4;
const UNKNOWN = 0.5;

/**
 * Probability that the account sleeps at `now`: how often past hours at this time of the New York day, with a similar
 * time since the last post, lay in a silence of 4 h or more (MODEL 3). 1 once this silence is that long. `postTimes` are
 * of posts of every kind, ascending: a reply shows that the account is awake as well as a post that counts.
 */
export function sleepProbability(now: number, postTimes: ArrayLike<number>): number {
  const lastPostAt = postTimes[lowerBound(postTimes, now) - 1];
  if (lastPostAt === undefined) return UNKNOWN;
  if (now - lastPostAt >= SLEEP_MS) return 1;
  const wait = Math.max(LEAST_WAIT_MS, now - lastPostAt);
  const clock = clockHour(now);
  let hours = 0;
  let asleep = 0;
  let similar = 0;
  let similarAsleep = 0;
  for (let back = UNKNOWN_HOURS; back < MEMORY_HOURS; back++) {
    const at = now - back * HOUR_MS;
    const distance = Math.abs(clockHour(at) - clock);
    if (Math.min(distance, 24 - distance) > CLOCK_REACH_HOURS) continue;
    const next = lowerBound(postTimes, at);
    const before = postTimes[next - 1];
    const after = postTimes[next];
    if (before === undefined || after === undefined) continue;
    const isAsleep = after - before >= SLEEP_MS ? 1 : 0;
    hours += 1;
    asleep += isAsleep;
    const waited = Math.max(LEAST_WAIT_MS, at - before);
    if (waited < wait * SIMILAR_FROM || waited > wait * SIMILAR_TO) continue;
    similar += 1;
    similarAsleep += isAsleep;
  }
  const share = hours === 0 ? UNKNOWN : asleep / hours;
  return (similarAsleep + PSEUDO_COUNTS * share) / (similar + PSEUDO_COUNTS);
}
