import { Temporal } from 'temporal-polyfill';
import { DAY_MS, HOUR_MS } from '../../streams/internal.ts';

const ZONE = 'America/New_York';
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** A calendar date, as days since 1970-01-01. It has no zone; `newYorkAt` gives it one. */
type DayNumber = number;

interface CalendarDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

interface LocalTime extends CalendarDate {
  readonly hour: number;
}

export function dateOf(day: DayNumber): CalendarDate {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export function dayNumber(date: CalendarDate): DayNumber {
  return Date.UTC(date.year, date.month - 1, date.day) / DAY_MS;
}

const instants = new Map<number, number>();

/** The UTC ms of a New York wall clock hour, with the daylight saving of that day. */
export function newYorkAt(day: DayNumber, hour: number): number {
  const key = day * 24 + hour;
  let at = instants.get(key);
  if (at === undefined) {
    at = Temporal.ZonedDateTime.from({ ...dateOf(day), hour, timeZone: ZONE }).epochMilliseconds;
    instants.set(key, at);
  }
  return at;
}

export function newYorkTime(at: number): LocalTime {
  // New York is at least four hours behind UTC, so this is its calendar day or the one after it.
  const late = Math.floor((at - 4 * HOUR_MS) / DAY_MS);
  const day = newYorkAt(late, 0) <= at ? late : late - 1;
  const midnight = newYorkAt(day, 0);
  if (newYorkAt(day + 1, 0) - midnight === DAY_MS)
    return { ...dateOf(day), hour: Math.floor((at - midnight) / HOUR_MS) };
  const { hour } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(ZONE);
  return { ...dateOf(day), hour };
}

/** The last New York noon at or before `at`, as its calendar day. */
export function noonDayBefore(at: number): DayNumber {
  // New York is four or five hours behind UTC, so its noon is at 16:00Z or 17:00Z of the same calendar day.
  const day = Math.floor(at / DAY_MS);
  return newYorkAt(day, 12) <= at ? day : day - 1;
}

export function monthName(month: number): string {
  return MONTHS[month - 1] ?? '';
}

/** `April 3` */
export function monthDay(day: DayNumber): string {
  const date = dateOf(day);
  return `${monthName(date.month)} ${date.day}`;
}

/** `12:00 PM` */
export function clockText(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}:00 ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `April 3, 2026, 12:00 PM ET` */
export function momentText(at: number): string {
  const local = newYorkTime(at);
  return `${monthName(local.month)} ${local.day}, ${local.year}, ${clockText(local.hour)} ET`;
}

/** `2026-04-10T16:00:00Z` */
export function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** `2026-03-31T16:02:11.120334Z`: six fractional digits. */
export function isoMicros(at: number): string {
  return `${new Date(at).toISOString().slice(0, 23)}${String((at * 7) % 1000).padStart(3, '0')}Z`;
}
