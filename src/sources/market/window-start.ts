import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from '../../../streams/internal.ts';

/** What an event says about its own window. `endAt` is its end, UTC ms, which is always given. */
interface WindowText {
  readonly description: string;
  readonly slug: string;
  readonly title: string;
  readonly endAt: number;
}

/** The rules of these markets are written in the time of this zone. */
const RULE_ZONE = 'America/New_York';
// The longest windows are months; a start further back comes from a misread year.
const LONGEST_MS = 32 * DAY_MS;
const SHORTEST_MONTH_MS = 27 * DAY_MS;
const NOON = { hour: 12, minute: 0 };
const MIDNIGHT = { hour: 0, minute: 0 };

export const MONTHS: readonly string[] = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
// Whole or abbreviated, with or without a dot: `september`, `sept.`, `sep`.
const MONTH = `((?:${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')}|sept)\\.?)`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,?\s+(\d{4}))?`;
const TIME = String.raw`(?:(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|(noon|midnight))`;

const DATE_THEN_TIME = new RegExp(
  String.raw`\b(?:from|between)\s+${MONTH}\s+${DAY}${YEAR}(?:,?\s+(?:at\s+)?${TIME})?`,
  'i',
);
const TIME_THEN_DATE = new RegExp(
  String.raw`\b(?:from|between)\s+${TIME}(?:\s+e[sd]?t)?,?\s+(?:on\s+)?${MONTH}\s+${DAY}${YEAR}`,
  'i',
);
const RULES_MONTH = new RegExp(String.raw`\bduring\s+(?:the\s+month\s+of\s+)?${MONTH}${YEAR}\b`, 'i');
const TITLE_MONTH = new RegExp(String.raw`\bin\s+${MONTH}${YEAR}\b`, 'i');
const SLUG_DAYS = new RegExp(`(?:^|-)${MONTH}-(\\d{1,2})-(?:${MONTH}-)?(\\d{1,2})(?=-|$)`, 'i');
const SLUG_MONTH = new RegExp(`(?:^|-)${MONTH}-(\\d{4})(?:-\\d+)?$`, 'i');
const TITLE_DAYS = new RegExp(
  String.raw`\b${MONTH}\s+${DAY}\s*(?:[-\u2010-\u2015]|to)\s*(?:${MONTH}\s+)?${DAY}\b`,
  'i',
);

/**
 * When the count of an event starts, UTC ms: from its rules, else from the dates of its slug or title, which
 * mean noon, or midnight for a whole month. Null when none of them fits the end.
 */
export function windowStart(text: WindowText): number | null {
  return (
    fromRules(text) ??
    fromDays(SLUG_DAYS.exec(text.slug), text.endAt) ??
    fromDays(TITLE_DAYS.exec(text.title), text.endAt) ??
    fromMonth(SLUG_MONTH.exec(text.slug), text.endAt) ??
    fromMonth(TITLE_MONTH.exec(text.title), text.endAt)
  );
}

interface Clock {
  readonly hour: number;
  readonly minute: number;
}

function fromRules({ description, endAt }: WindowText): number | null {
  const dated = DATE_THEN_TIME.exec(description);
  if (dated !== null) {
    const [, month, day, year, ...time] = dated;
    return startOn({ month, day, year, clock: clockOf(time) ?? NOON }, endAt);
  }
  const timed = TIME_THEN_DATE.exec(description);
  if (timed !== null) {
    const [, hour, minute, half, named, month, day, year] = timed;
    return startOn({ month, day, year, clock: clockOf([hour, minute, half, named]) ?? NOON }, endAt);
  }
  return fromMonth(RULES_MONTH.exec(description), endAt);
}

// Only when the last day named is the event's own: a reused slug can carry the dates of another event.
function fromDays(match: RegExpExecArray | null, endAt: number): number | null {
  if (match === null) return null;
  const [, month, day, lastMonth, lastDay] = match;
  const end = inZone(endAt);
  if (monthNumber(lastMonth ?? month) !== end.month || Number(lastDay) !== end.day) return null;
  return startOn({ month, day, year: undefined, clock: NOON }, endAt);
}

function fromMonth(match: RegExpExecArray | null, endAt: number): number | null {
  if (match === null) return null;
  const startAt = startOn({ month: match[1], day: '1', year: match[2], clock: MIDNIGHT }, endAt);
  return startAt !== null && endAt - startAt >= SHORTEST_MONTH_MS ? startAt : null;
}

interface Start {
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly year: string | undefined;
  readonly clock: Clock;
}

/** Without a year, the latest one that puts the start before the end. */
function startOn({ month, day, year, clock }: Start, endAt: number): number | null {
  const endYear = inZone(endAt).year;
  for (const candidate of year === undefined ? [endYear, endYear - 1] : [Number(year)]) {
    const at = instantOf({ year: candidate, month: monthNumber(month), day: Number(day), ...clock });
    if (at !== null && at < endAt && endAt - at <= LONGEST_MS) return at;
  }
  return null;
}

function clockOf([hour, minute, half, named]: readonly (string | undefined)[]): Clock | null {
  if (named !== undefined) return named.toLowerCase() === 'noon' ? NOON : MIDNIGHT;
  if (hour === undefined || half === undefined) return null;
  const isAfternoon = half.toLowerCase() === 'p';
  return { hour: (Number(hour) % 12) + (isAfternoon ? 12 : 0), minute: Number(minute ?? 0) };
}

/** No two months begin with the same three letters. */
function monthNumber(name = ''): number {
  const start = name.slice(0, 3).toLowerCase();
  return start === '' ? 0 : MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

/** The zone's date and time of an instant. */
export function inZone(at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(RULE_ZONE);
}

// A text can name a day that does not exist; that is no start.
function instantOf(date: Clock & { readonly year: number; readonly month: number; readonly day: number }) {
  try {
    return Temporal.ZonedDateTime.from({ ...date, timeZone: RULE_ZONE }, { overflow: 'reject' })
      .epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
