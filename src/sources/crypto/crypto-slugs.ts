import type { Temporal } from 'temporal-polyfill';
import type { CryptoSymbol } from '../endpoints.ts';
import { inZone, MONTHS } from '../market/window-start.ts';

const QUARTER_S = 900;
const FOUR_HOURS_S = 14_400;

/**
 * Slugs of the crypto events open now and of those that open next, which listings rarely show. They are
 * guesses: the market may know none of them.
 */
export function cryptoSlugs({ slugNames }: CryptoSymbol, now: number): readonly string[] {
  const long = slugNames[0] ?? '';
  const short = slugNames.at(-1) ?? long;
  const local = inZone(now);
  const nowS = Math.floor(now / 1_000);
  const slugs = [];
  for (const step of [0, 1]) {
    slugs.push(`${short}-updown-15m-${windowStartS(nowS, QUARTER_S) + step * QUARTER_S}`);
    slugs.push(`${short}-updown-4h-${windowStartS(nowS, FOUR_HOURS_S) + step * FOUR_HOURS_S}`);
    const hour = local.add({ hours: step });
    slugs.push(`${long}-up-or-down-${dayOf(hour)}-${hour.year}-${clockOf(hour.hour)}-et`);
    // Daily events end at noon of the day they are named after.
    const day = dayOf(local.add({ days: step }));
    slugs.push(`${long}-up-or-down-on-${day}`, `${long}-above-on-${day}`, `${long}-price-on-${day}`);
  }
  return slugs;
}

function windowStartS(nowS: number, lengthS: number): number {
  return Math.floor(nowS / lengthS) * lengthS;
}

function dayOf(date: Temporal.ZonedDateTime): string {
  return `${MONTHS[date.month - 1]}-${date.day}`;
}

function clockOf(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'}`;
}
