import { HOUR_MS } from './durations.ts';

/** Distances from the close at which forecasts are scored, in hours, ascending (spec 2.9). */
export const HORIZON_HOURS: readonly number[] = [24, 48, 72];

/** Those that lie inside a window. */
export function horizonsOf(startAt: number, endAt: number): readonly number[] {
  return HORIZON_HOURS.filter((hours) => horizonAt(endAt, hours) >= startAt);
}

export function horizonAt(endAt: number, hours: number): number {
  return endAt - hours * HOUR_MS;
}
