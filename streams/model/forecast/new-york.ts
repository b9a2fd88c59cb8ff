import { HOUR_MS } from '../durations.ts';

/**
 * The New York clock in plain arithmetic: daylight saving from the second Sunday of March to the first of
 * November, at two in the morning, as it has been since 2007. Hours are counted from 1970 in UTC.
 */

const DAY_HOURS = 24;

/** Days from 1970-01-01 to the first of a month of a year; months from 3 on, so that leap days come before. */
function firstOfMonth(year: number, month: number): number {
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + Math.floor((153 * (month - 3) + 2) / 5) - 719_468;
}

/** 1970-01-01 was a Thursday; Monday is 0. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function sundayFrom(day: number): number {
  return day + 6 - weekdayOf(day);
}

/** A year of the clock: which hours belong to it and which of them are summer. */
interface ClockYear {
  readonly fromHour: number;
  readonly toHour: number;
  readonly summerFromHour: number;
  readonly summerToHour: number;
}

/** From March to March, so that no year boundary falls into winter. */
function clockYear(hour: number): ClockYear {
  const day = Math.floor(hour / DAY_HOURS);
  const estimate = 1970 + Math.floor(day / 365.2425);
  const year = day >= firstOfMonth(estimate, 3) ? estimate : estimate - 1;
  return {
    fromHour: firstOfMonth(year, 3) * DAY_HOURS,
    toHour: firstOfMonth(year + 1, 3) * DAY_HOURS,
    summerFromHour: (sundayFrom(firstOfMonth(year, 3)) + 7) * DAY_HOURS + 7,
    summerToHour: sundayFrom(firstOfMonth(year, 11)) * DAY_HOURS + 6,
  };
}

function hourOfWeekIn(year: ClockYear, hour: number): number {
  const isSummer = hour >= year.summerFromHour && hour < year.summerToHour;
  const local = hour - (isSummer ? 4 : 5);
  const day = Math.floor(local / DAY_HOURS);
  return weekdayOf(day) * DAY_HOURS + (local - day * DAY_HOURS);
}

/** The weekday, 0 for Monday, and the clock hour of a UTC hour in one number: weekday * 24 + clock hour. */
export function hourOfWeek(hour: number): number {
  return hourOfWeekIn(clockYear(hour), hour);
}

/** `hourOfWeek` of `count` hours in a row. */
export function hoursOfWeek(fromHour: number, count: number): Uint8Array {
  const hours = new Uint8Array(count);
  let year = clockYear(fromHour);
  for (let index = 0; index < count; index++) {
    const hour = fromHour + index;
    if (hour >= year.toHour) year = clockYear(hour);
    hours[index] = hourOfWeekIn(year, hour);
  }
  return hours;
}

/** The clock's hour, 0 to 23, at a time in UTC ms. */
export function clockHour(at: number): number {
  return hourOfWeek(Math.floor(at / HOUR_MS)) % DAY_HOURS;
}
