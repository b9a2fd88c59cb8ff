import { MISSING } from './series.ts';

/** Weekday factors are learnt from half a year, as they change slowly and one week shows little. */
const WEEKS = 26;
/** A week with fewer posts says nothing about weekdays. */
const LEAST_POSTS = 7;
const LEAST_WEEKS = 3;

/**
 * Factors with mean 1 by weekday, Monday first, from the totals of `count` successive days, the last of which is a
 * `lastWeekday`. Each is the weekday's share of a week, averaged over the weeks, then shrunk towards 1 as far as the
 * variation between weeks explains the differences between weekdays.
 */
export function learnWeekdays(
  byWeekday: Float64Array,
  dayTotals: Int32Array,
  count: number,
  lastWeekday: number,
): void {
  const factors = new Float64Array(7);
  const squares = new Float64Array(7);
  let weeks = 0;
  for (let week = 1; week <= WEEKS && week * 7 <= count; week++) {
    const first = count - week * 7;
    const posts = postsOf(dayTotals, first);
    if (posts < LEAST_POSTS) continue;
    weeks += 1;
    for (let day = 0; day < 7; day++) {
      const share = ((dayTotals[first + day] ?? 0) * 7) / posts;
      const weekday = (lastWeekday + 1 + day) % 7;
      factors[weekday] = (factors[weekday] ?? 0) + share;
      squares[weekday] = (squares[weekday] ?? 0) + share * share;
    }
  }
  const trust = weeks < LEAST_WEEKS ? 0 : trustIn(factors, squares, weeks);
  for (let day = 0; day < 7; day++)
    byWeekday[day] = 1 + trust * ((factors[day] ?? 0) / Math.max(1, weeks) - 1);
}

/** Posts of the seven days from `first` on, or 0 when one of them was not seen whole. */
function postsOf(dayTotals: Int32Array, first: number): number {
  let posts = 0;
  for (let day = first; day < first + 7; day++) {
    const total = dayTotals[day] ?? MISSING;
    if (total === MISSING) return 0;
    posts += total;
  }
  return posts;
}

/** The share of the variance between weekdays that is not noise. */
function trustIn(factors: Float64Array, squares: Float64Array, weeks: number): number {
  let between = 0;
  let within = 0;
  for (let day = 0; day < 7; day++) {
    const mean = (factors[day] ?? 0) / weeks;
    between += (mean - 1) * (mean - 1);
    within += (squares[day] ?? 0) / weeks - mean * mean;
  }
  const noise = within / 7 / (weeks - 1);
  const variance = between / 6;
  return variance > noise ? (variance - noise) / variance : 0;
}
