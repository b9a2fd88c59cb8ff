import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';

const UNITS = [
  ['days', DAY_MS],
  ['hours', HOUR_MS],
  ['minutes', MINUTE_MS],
] as const;

/** A time in the largest unit of which there are at least two. */
export function spanText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? (['seconds', 1_000] as const);
  return `${Math.round(ms / unitMs)} ${unit}`;
}
