import { biasFactors, type ClosedForecast, HOUR_MS } from '../../../streams/internal.ts';
import { type JobResult, type MadeInWindow, type Material, REMEMBERED_MS } from './forecast-job.ts';
import type { Job } from './job-plan.ts';
import type { Window } from './windows.ts';

/** As live: a final count is taken as such so long after the end. */
const SETTLED_AFTER_MS = 2 * HOUR_MS;

/**
 * The jobs whose forecasts the bias of earlier windows changes, with their places among all jobs. Each learns only
 * from windows settled before its fit, as forecast at their time.
 */
export function jobsToCorrect(
  jobs: readonly Job[],
  results: readonly JobResult[],
  { windows }: Material,
): { readonly index: number; readonly job: Job }[] {
  const made = results
    .flatMap((result) => result.made)
    .sort((a, b) => endOf(windows, a) - endOf(windows, b) || a.window - b.window);
  return jobs.flatMap((job, index) => {
    const params = results[index]?.params;
    const bias = biasFactors(made.flatMap((each) => closedAt(job.fitAt, windows, each)));
    if (params === undefined || bias.every((factor) => factor === 1)) return [];
    return [{ index, job: { ...job, params: { ...params, bias } } }];
  });
}

function endOf(windows: readonly Window[], { window }: MadeInWindow): number {
  return windows[window]?.endAt ?? 0;
}

function closedAt(at: number, windows: readonly Window[], made: MadeInWindow): ClosedForecast[] {
  const endAt = endOf(windows, made);
  const isKnown = endAt + SETTLED_AFTER_MS <= at && endAt >= at - REMEMBERED_MS;
  return isKnown ? [{ ...made.forecast, final: made.final }] : [];
}
