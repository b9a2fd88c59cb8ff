const NUMBER = /^\d+(\.\d+)?$/;
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d+))? ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/;

/** Below it a number is seconds: as ms it would be before March 1973, when nobody posted. */
const LEAST_MS = 1e11;
/** From here on it is neither: micro- or nanoseconds. */
const END_MS = 1e14;

export const TIME_SHAPES =
  'a time such as 2026-01-31T10:00:00Z (with its zone), a date, or ms or seconds since 1970';

/** UTC ms of a time as files have it: ISO 8601 with its zone, a date, or ms or seconds since 1970; else undefined. */
export function timeOfText(text: string): number | undefined {
  if (NUMBER.test(text)) {
    const value = Number(text);
    if (value >= END_MS) return undefined;
    return Math.round(value < LEAST_MS ? value * 1_000 : value);
  }
  const [, date, time, fraction = '', zone = ''] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // A 30th of February is read as a day of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  if (time === undefined) return midnight;
  const at = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}${offsetOf(zone)}`);
  return Number.isNaN(at) ? undefined : at + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** `+00`, `+0000` and `UTC` as `Date.parse` knows them. */
function offsetOf(zone: string): string {
  if (zone === 'Z' || zone === 'UTC') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
