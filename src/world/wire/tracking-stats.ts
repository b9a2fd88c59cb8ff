import { DAY_MS } from '../../../streams/internal.ts';

interface Stats {
  readonly total: number;
  readonly cumulative: number;
  readonly pace: number;
  readonly percentComplete: number;
  readonly daysElapsed: number;
  readonly daysRemaining: number;
  readonly daysTotal: number;
  readonly isComplete: boolean;
}

/** The oracle's own arithmetic of a window whose last instant is `lastAt`. */
export function statsOf(
  window: { readonly startAt: number; readonly lastAt: number },
  total: number,
  now: number,
): Stats {
  const { startAt, lastAt } = window;
  const daysTotal = Math.ceil((lastAt - startAt) / DAY_MS);
  const elapsed = Math.ceil((Math.min(now, lastAt) - startAt) / DAY_MS);
  const daysElapsed = Math.min(daysTotal, Math.max(0, elapsed));
  return {
    total,
    cumulative: total,
    pace: daysElapsed === 0 ? 0 : Math.round((total / daysElapsed) * daysTotal),
    percentComplete: Math.round((100 * daysElapsed) / daysTotal),
    daysElapsed,
    daysRemaining: Math.max(0, Math.ceil((lastAt - now) / DAY_MS)),
    daysTotal,
    isComplete: now > lastAt,
  };
}
