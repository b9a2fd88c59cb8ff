import type { CountPoint } from '../state/posts.ts';

export interface Fan {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** Columns for a chart: times in seconds, the count so far, then p5, p50, p95 from now to the close. */
export type FanColumns = [
  number[],
  (number | null)[],
  (number | null)[],
  (number | null)[],
  (number | null)[],
];

const STEPS = 32;

/**
 * Only the count at the close is forecast. Until then the median is drawn as a straight line, and the spread grows with
 * the square root of time, as for independent posts. Nothing is drawn below the present count, unless the count that
 * settles may be.
 */
export function fanColumns(
  past: readonly CountPoint[],
  fan: Fan,
  { now, endAt }: { readonly now: number; readonly endAt: number },
): FanColumns {
  const columns: FanColumns = [[], [], [], [], []];
  const push = (at: number, ...values: (number | null)[]) => {
    columns[0].push(at / 1_000);
    for (const [place, value] of values.entries()) {
      const column: (number | null)[] | undefined = columns[place + 1];
      column?.push(value);
    }
  };
  const last = past.at(-1);
  for (const { at, count } of past.slice(0, -1)) push(at, count, null, null, null);
  const count = last?.count ?? 0;
  push(now, count, count, count, count);
  for (let step = 1; step <= STEPS; step++) {
    const elapsed = step / STEPS;
    const median = count + (fan.p50 - count) * elapsed;
    const spread = Math.sqrt(elapsed);
    push(
      now + (endAt - now) * elapsed,
      null,
      Math.max(Math.min(count, fan.p5), median - (fan.p50 - fan.p5) * spread),
      median,
      median + (fan.p95 - fan.p50) * spread,
    );
  }
  return columns;
}

/** Ascending values without those closer than `gap` to the last kept one. */
export function apart(ascending: readonly number[], gap: number): readonly number[] {
  const kept: number[] = [];
  for (const value of ascending) {
    const last = kept.at(-1);
    if (last === undefined || value - last >= gap) kept.push(value);
  }
  return kept;
}
