import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import {
  dateOf,
  dayNumber,
  momentText,
  monthDay,
  monthName,
  newYorkAt,
  newYorkTime,
  noonDayBefore,
} from '../calendar.ts';
import type { Account } from '../life/accounts.ts';
import { unit } from '../rng.ts';

export type SeriesKind = 'week-tuesday' | 'week-friday' | 'two-days' | 'month';

/** A row of windows of one account, numbered without gaps. */
export interface Series {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly recurrence: 'weekly' | 'daily' | 'monthly';
  readonly account: Account;
  readonly kind: SeriesKind;
  /** Calendar day of window 0's start, for all but months. 1970-01-01 was a Thursday. */
  readonly firstDay: number;
  readonly days: number;
  readonly listedDaysAhead: number;
}

export interface Window {
  readonly startAt: number;
  readonly endAt: number;
}

/**
 * A and B have two weeks that overlap, the others one week each: with two days and a month every account has some events
 * open at any time.
 */
export function seriesOf(account: Account): readonly Series[] {
  const [weekly, twoDays, monthly] = account.seriesSlugs;
  const { index } = account;
  const id = 10_000 + index * 10;
  const week = {
    slug: weekly,
    title: `${account.name} posts`,
    recurrence: 'weekly',
    account,
    days: 7,
  } as const;
  const weeks: readonly Series[] = [
    { ...week, id, kind: 'week-tuesday', firstDay: 5, listedDaysAhead: 3 },
    { ...week, id, kind: 'week-friday', firstDay: 1, listedDaysAhead: 3 },
  ];
  return [
    ...weeks.filter((_, place) => index < 2 || place === index % 2),
    {
      id: id + 1,
      slug: twoDays,
      title: `${account.name} posts 48h`,
      recurrence: 'daily',
      account,
      kind: 'two-days',
      firstDay: index % 2,
      days: 2,
      listedDaysAhead: 2,
    },
    {
      id: id + 2,
      slug: monthly,
      title: `${account.name} posts monthly`,
      recurrence: 'monthly',
      account,
      kind: 'month',
      firstDay: 0,
      days: 31,
      listedDaysAhead: 5,
    },
  ];
}

function monthStart(index: number): number {
  return newYorkAt(dayNumber({ year: Math.floor(index / 12), month: (index % 12) + 1, day: 1 }), 0);
}

/** Noon to noon in New York, so 167 or 169 h across a clock change; a month from midnight to midnight. */
export function windowOf(series: Series, index: number): Window {
  if (series.kind === 'month') return { startAt: monthStart(index), endAt: monthStart(index + 1) };
  const day = series.firstDay + index * series.days;
  return { startAt: newYorkAt(day, 12), endAt: newYorkAt(day + series.days, 12) };
}

/** The number of the window that holds `at`. */
export function windowIndexAt(series: Series, at: number): number {
  if (series.kind === 'month') {
    const local = newYorkTime(at);
    return local.year * 12 + local.month - 1;
  }
  return Math.floor((noonDayBefore(at) - series.firstDay) / series.days);
}

/** When the market lists the event: days before its count starts. */
export function listedAtOf(series: Series, index: number): number {
  const { startAt } = windowOf(series, index);
  const jitterMs = Math.floor(unit('listed', series.account.id, series.kind, index) * 6 * HOUR_MS);
  return startAt - series.listedDaysAhead * DAY_MS + jitterMs;
}

export interface EventTexts {
  readonly slug: string;
  readonly title: string;
  /** `from April 3 to April 10, 2026`, as it stands in a bucket's question. */
  readonly period: string;
  readonly description: string;
}

/** Slug, title and rules of a window. Slugs of A have no year, those of the others have one; months always do. */
export function textsOf(series: Series, window: Window): EventTexts {
  const { account } = series;
  if (series.kind === 'month') {
    const local = newYorkTime(window.startAt);
    const month = `${monthName(local.month)} ${local.year}`;
    return {
      slug: `${account.slugPrefix}-of-posts-${month.toLowerCase().replace(' ', '-')}`,
      title: `${account.name} # posts in ${month}?`,
      period: `in ${month}`,
      description: rules(account, `during the month of ${month}`),
    };
  }
  return rangeTexts(account, window);
}

export function rangeTexts(account: Account, window: Window): EventTexts {
  const first = dayNumber(newYorkTime(window.startAt));
  const last = dayNumber(newYorkTime(window.endAt));
  const { year } = dateOf(last);
  const dates = `${monthDay(first)} ${monthDay(last)}`.toLowerCase().replaceAll(' ', '-');
  const [start, end] = [momentText(window.startAt), momentText(window.endAt)];
  return {
    slug: `${account.slugPrefix}-of-posts-${dates}${account.hasYearInSlugs ? `-${year}` : ''}`,
    title: `${account.name} # posts ${monthDay(first)} - ${monthDay(last)}, ${year}?`,
    period: `from ${monthDay(first)} to ${monthDay(last)}, ${year}`,
    description: rules(
      account,
      account.hasYearInSlugs ? `between ${start} and ${end}` : `from ${start} to ${end}`,
    ),
  };
}

function rules(account: Account, period: string): string {
  return (
    `This market will resolve according to the number of times ${account.name} (@${account.handle}) posts ${period}.\n\n` +
    'Main feed posts, quote posts and reposts count. Replies do not count, except replies that appear on the main feed. ' +
    'Deleted posts count as long as they were up long enough to be captured by the tracker (about 5 minutes). ' +
    'Community reposts that the tracker does not record do not count.\n\n' +
    'The source is the post counter of the tracker. If it fails, the posts themselves are the second source.'
  );
}
