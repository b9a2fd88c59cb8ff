import type { Temporal } from 'temporal-polyfill';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { CryptoSymbol } from '../endpoints.ts';
import { inZone, MONTHS } from '../market/window-start.ts';

const QUARTER_MS = 15 * MINUTE_MS;
const FOUR_HOURS_MS = 4 * HOUR_MS;

/** A window in UTC ms. */
interface Window {
  readonly startAt: number;
  readonly endAt: number;
}

/** A slug that a crypto event may have, and the window it would be about. */
export interface GuessedSlug extends Window {
  readonly slug: string;
}

/**
 * Slugs of the crypto events open now and of those that open next, which listings rarely show. They are
 * guesses: the market may know none of them.
 */
export function cryptoSlugs({ slugNames }: CryptoSymbol, now: number): readonly GuessedSlug[] {
  const long = slugNames[0] ?? '';
  const short = slugNames.at(-1) ?? long;
  return [0, 1].flatMap((step) => {
    const quarter = windowAt(now, QUARTER_MS, step);
    const fourHours = windowAt(now, FOUR_HOURS_MS, step);
    const hour = windowAt(now, HOUR_MS, step);
    const day = dayAt(now, step);
    const local = inZone(hour.startAt);
    const date = dateOf(inZone(day.endAt));
    return [
      { slug: `${short}-updown-15m-${quarter.startAt / 1_000}`, ...quarter },
      { slug: `${short}-updown-4h-${fourHours.startAt / 1_000}`, ...fourHours },
      { slug: `${long}-up-or-down-${dateOf(local)}-${local.year}-${clockOf(local.hour)}-et`, ...hour },
      { slug: `${long}-up-or-down-on-${date}`, ...day },
      { slug: `${long}-above-on-${date}`, ...day },
      { slug: `${long}-price-on-${date}`, ...day },
    ];
  });
}

/** The window that holds `now`, or the one `step` later. Those of hours are the same in the zone and in UTC. */
function windowAt(now: number, lengthMs: number, step: number): Window {
  const startAt = (Math.floor(now / lengthMs) + step) * lengthMs;
  return { startAt, endAt: startAt + lengthMs };
}

/** Daily events run from noon to noon and are named after the day they end on. */
function dayAt(now: number, step: number): Window {
  const local = inZone(now);
  const noon = local
    .startOfDay()
    .add({ days: local.hour < 12 ? step : step + 1 })
    .with({ hour: 12 });
  return { startAt: noon.subtract({ days: 1 }).epochMilliseconds, endAt: noon.epochMilliseconds };
}

function dateOf(date: Temporal.ZonedDateTime): string {
  return `${MONTHS[date.month - 1]}-${date.day}`;
}

function clockOf(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'}`;
}
