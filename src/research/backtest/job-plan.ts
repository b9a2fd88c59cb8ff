import { DAY_MS, type ModelParams } from '../../../streams/internal.ts';
import type { Window } from './windows.ts';

/** Forecasts that share a fit: it is made at `fitAt`, before any of their origins or at the first. */
export interface Job {
  readonly fitAt: number;
  readonly forecasts: readonly Planned[];
  /** The fit, once it has been made. */
  readonly params?: ModelParams;
}

interface Planned {
  readonly originAt: number;
  /** Index of the window. */
  readonly window: number;
}

const REFIT_MS = 7 * DAY_MS;

/** Origins every `everyMs` from a window's start to before its end, oldest first, a week of them to a job. */
export function planJobs(windows: readonly Window[], everyMs: number): Job[] {
  const planned = windows
    .flatMap(({ startAt, endAt }, window) =>
      Array.from({ length: Math.ceil((endAt - startAt) / everyMs) }, (_, index) => ({
        originAt: startAt + index * everyMs,
        window,
      })),
    )
    .sort((a, b) => a.originAt - b.originAt || a.window - b.window);
  const jobs: { fitAt: number; forecasts: Planned[] }[] = [];
  for (const forecast of planned) {
    const last = jobs.at(-1);
    if (last !== undefined && forecast.originAt - last.fitAt < REFIT_MS) last.forecasts.push(forecast);
    else jobs.push({ fitAt: forecast.originAt, forecasts: [forecast] });
  }
  return jobs;
}
