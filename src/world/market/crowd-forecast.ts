import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import type { WorldAccountId } from '../life/accounts.ts';
import type { Timeline } from '../life/timeline.ts';
import type { Window } from './event-series.ts';
import { normalCdf } from './normal.ts';

/** What somebody who follows an account expects of a window, from the counted posts up to `seenAt`. */
export interface CrowdForecast {
  /** Posts of the window so far. */
  readonly known: number;
  /** Posts still to come: their mean and variance. */
  readonly mean: number;
  readonly variance: number;
}

const PROFILE_DAYS = 28;
const DAYS_LOOKED_AT = [2, 7, 28] as const;
/** The variance of posts that come in bursts, per post. */
const BURST = 3;
/** Added to each pace, in posts a day: an account that was silent may come back. */
const LEAST_PACE = 0.2;

/** How much of an account's day falls into each hour of it, as the crowd has seen it over four weeks: 1 on average. */
type HourProfile = Float64Array;

/** What the crowd has learnt of an account. */
interface Habits {
  readonly profile: HourProfile;
  /** How regular it is: 0 for a clock, 1 for a person. */
  readonly chance: number;
  /** Relative variance of a day's count beyond that of single posts. */
  readonly daily: number;
}

const HABITS_KEPT = 6;

/**
 * A plain forecast by the crowd's own arithmetic: the paces of the last days, weeks and month, the hours of the day at
 * which the account posts, and how much its days differ.
 */
export function createCrowdForecast(timeline: Timeline): {
  at(account: WorldAccountId, window: Window, seenAt: number): CrowdForecast;
  /** Forgets what was learnt before posts were changed by hand. */
  forget(): void;
} {
  const learnt = new Map<WorldAccountId, (Habits & { readonly day: number })[]>();

  function habitsAt(account: WorldAccountId, seenAt: number): Habits {
    const day = Math.floor(seenAt / DAY_MS);
    let known = learnt.get(account);
    if (known === undefined) {
      known = [];
      learnt.set(account, known);
    }
    let habits = known.find((each) => each.day === day);
    if (habits === undefined) {
      habits = { day, ...learn(timeline, account, day * DAY_MS) };
      known.push(habits);
      // Days are asked for in a row: one of the present, and those of a history that is being read.
      if (known.length > HABITS_KEPT) known.shift();
    }
    return habits;
  }

  return {
    at(account, window, seenAt) {
      const habits = habitsAt(account, seenAt);
      const known = timeline.countedBetween(account, window.startAt, Math.min(seenAt, window.endAt));
      const fromAt = Math.max(seenAt, window.startAt);
      const days = profileDays(habits.profile, fromAt, window.endAt);
      if (days <= 0) return { known, mean: 0, variance: 0 };
      const leadDays = Math.max(0, window.startAt - seenAt) / DAY_MS;
      const mean = days * paceOf(timeline, account, seenAt, leadDays + days / 2);
      return { known, mean, variance: varianceOf(mean, days, leadDays, habits) };
    },
    forget: () => learnt.clear(),
  };
}

/** Posts a day: recent days say more about the near future, the month more about the far. */
function paceOf(timeline: Timeline, account: WorldAccountId, seenAt: number, aheadDays: number): number {
  const [recent, week, month] = DAYS_LOOKED_AT.map((days) =>
    Math.log(timeline.countedBetween(account, seenAt - days * DAY_MS, seenAt) / days + LEAST_PACE),
  );
  const nearness = 1 / (1 + aheadDays / 2);
  const ofRecent = 0.1 + 0.3 * nearness;
  const ofMonth = 0.45 - 0.2 * nearness;
  const log = ofRecent * (recent ?? 0) + ofMonth * (month ?? 0) + (1 - ofRecent - ofMonth) * (week ?? 0);
  return Math.max(0.02, Math.exp(log) - LEAST_PACE);
}

/** Posts come in bursts; days differ; and nobody knows the level of the days to come. */
function varianceOf(mean: number, days: number, leadDays: number, { chance, daily }: Habits): number {
  const level = 0.012 * (1 + 0.5 * (leadDays + days) ** 0.8);
  return chance * (BURST * mean + (daily / Math.max(0.4, days) + level) * mean * mean) + 0.01;
}

function learn(timeline: Timeline, account: WorldAccountId, toAt: number): Habits {
  const byHour = new Float64Array(24);
  const byDay: number[] = [];
  for (let day = 1; day <= PROFILE_DAYS; day++) {
    let total = 0;
    for (let hour = 0; hour < 24; hour++) {
      const at = toAt - day * DAY_MS + hour * HOUR_MS;
      const count = timeline.countedBetween(account, at, at + HOUR_MS);
      byHour[hour] = (byHour[hour] ?? 0) + count;
      total += count;
    }
    byDay.push(total);
  }
  return { profile: smoothed(byHour), ...variation(byDay) };
}

/** A quarter of each hour's posts is taken for a matter of chance, and shared with the hours beside it. */
function smoothed(byHour: Float64Array): HourProfile {
  const total = byHour.reduce((sum, count) => sum + count, 0);
  const even = total / 24;
  const profile = new Float64Array(24);
  for (let hour = 0; hour < 24; hour++) {
    const around = ((byHour[(hour + 23) % 24] ?? 0) + (byHour[(hour + 1) % 24] ?? 0)) / 2;
    const own = byHour[hour] ?? 0;
    profile[hour] = (0.7 * own + 0.3 * around + 0.03 * even + 0.5) / (1.03 * even + 0.5);
  }
  return profile;
}

function variation(counts: readonly number[]): Pick<Habits, 'chance' | 'daily'> {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  if (mean === 0) return { chance: 1, daily: 0.3 };
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  const beyond = (variance - BURST * mean) / (mean * mean);
  return {
    chance: Math.min(1, Math.max(0.02, variance / mean / BURST)),
    // So few days show little, so the crowd holds on to what it knows of accounts in general.
    daily: (Math.min(1, Math.max(0, beyond)) + 0.08) / 2,
  };
}

/** The time between two instants in days, each hour as long as the account posts in it. */
function profileDays(profile: HourProfile, fromAt: number, toAt: number): number {
  if (toAt <= fromAt) return 0;
  const wholeDays = Math.floor((toAt - fromAt) / DAY_MS);
  let hours = 24 * wholeDays;
  for (let at = fromAt + wholeDays * DAY_MS; at < toAt; ) {
    const next = Math.min(toAt, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
    hours += ((next - at) / HOUR_MS) * (profile[Math.floor(at / HOUR_MS) % 24] ?? 1);
    at = next;
  }
  return hours / 24;
}

/** The probability that fewer than `count` posts are still to come: a gamma distribution by its cube root. */
export function chanceBelow({ mean, variance }: CrowdForecast, count: number): number {
  if (count <= 0) return 0;
  if (mean <= 0) return 1;
  const shape = (mean * mean) / variance;
  const spread = 1 / (9 * shape);
  return normalCdf((Math.cbrt(count / mean) - (1 - spread)) / Math.sqrt(spread));
}
