import { exp } from './exact.ts';

/** When in a New York week the account posts: factors with mean 1 by clock hour and by weekday, Monday first. */
export interface Profile {
  readonly byHour: Float64Array;
  readonly byWeekday: Float64Array;
}

export const PROFILE_HOURS = 56 * 24;
/** Added to every hour as a share of the mean, so that no hour is impossible. */
const EVERY_HOUR_SHARE = 0.02;
const REACH_HOURS = 3;
/** A Gaussian of 1 h, cut at 3 h. */
const KERNEL = smoothingKernel();

function smoothingKernel(): Float64Array {
  const kernel = Float64Array.from({ length: 2 * REACH_HOURS + 1 }, (_, index) => {
    const distance = index - REACH_HOURS;
    return exp(-0.5 * distance * distance);
  });
  const total = kernel.reduce((sum, weight) => sum + weight, 0);
  return kernel.map((weight) => weight / total);
}

/** Posts and observed hours of the last 56 days, by clock hour. */
export interface ProfileSums {
  readonly postsByHour: Float64Array;
  readonly hoursByHour: Float64Array;
  /** Buffers of `updateClock`: the rates of a day, and the same with three hours before and after. */
  readonly rates: Float64Array;
  readonly around: Float64Array;
}

export function emptyProfileSums(): ProfileSums {
  return {
    postsByHour: new Float64Array(24),
    hoursByHour: new Float64Array(24),
    rates: new Float64Array(24),
    around: new Float64Array(24 + 2 * REACH_HOURS),
  };
}

/** Adds an observed hour, or removes it when `sign` is -1. */
export function addToSums(sums: ProfileSums, hourOfWeek: number, count: number, sign: 1 | -1): void {
  const hour = hourOfWeek % 24;
  sums.postsByHour[hour] = (sums.postsByHour[hour] ?? 0) + sign * count;
  sums.hoursByHour[hour] = (sums.hoursByHour[hour] ?? 0) + sign;
}

export function flatProfile(): Profile {
  return { byHour: new Float64Array(24).fill(1), byWeekday: new Float64Array(7).fill(1) };
}

// Plain loops over existing arrays, as the profile is updated thousands of times in a history.

/** Posts per observed hour of each bin, 0 where none was observed; returns their mean. */
function ratesInto(rates: Float64Array, posts: Float64Array, hours: Float64Array): number {
  let sum = 0;
  for (let bin = 0; bin < rates.length; bin++) {
    const rate = (posts[bin] ?? 0) / Math.max(1, hours[bin] ?? 0);
    rates[bin] = rate;
    sum += rate;
  }
  return sum / rates.length;
}

function scaleToMeanOne(values: Float64Array): void {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  const mean = sum / values.length;
  for (let index = 0; index < values.length; index++)
    values[index] = mean > 0 ? (values[index] ?? 0) / mean : 1;
}

/** Updates the factors of the clock hours from the sums. */
export function updateClock(
  byHour: Float64Array,
  { postsByHour, hoursByHour, rates, around }: ProfileSums,
): void {
  const floor = EVERY_HOUR_SHARE * ratesInto(rates, postsByHour, hoursByHour);
  for (let index = 0; index < around.length; index++) {
    around[index] = (rates[(index - REACH_HOURS + 24) % 24] ?? 0) + floor;
  }
  for (let hour = 0; hour < 24; hour++) {
    let sum = 0;
    for (let step = 0; step < KERNEL.length; step++) sum += (KERNEL[step] ?? 0) * (around[hour + step] ?? 0);
    byHour[hour] = sum;
  }
  scaleToMeanOne(byHour);
}

/** The factor of an hour of the week, weekday * 24 + clock hour. */
export function factorOf({ byHour, byWeekday }: Profile, hourOfWeek: number): number {
  const hour = hourOfWeek % 24;
  return (byHour[hour] ?? 1) * (byWeekday[(hourOfWeek - hour) / 24] ?? 1);
}
