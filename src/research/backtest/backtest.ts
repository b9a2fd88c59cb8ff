import { access } from 'node:fs/promises';
import { DAY_MS } from '../../../streams/internal.ts';
import { ServiceError } from '../../errors.ts';
import { jobsToCorrect } from './bias-correction.ts';
import { gapsIn, readGaps } from './collection-gaps.ts';
import { readNumbers } from './csv.ts';
import type { Material, Row } from './forecast-job.ts';
import { type Job, planJobs } from './job-plan.ts';
import { runJobs } from './pool.ts';
import { readPrices } from './price-files.ts';
import { isWindowKind, overlaps, readWindows, WINDOW_KINDS, type Window, windowsOf } from './windows.ts';

interface BacktestOptions {
  /** CSV with the column created_ts. */
  readonly posts: string;
  /** A kind of window, or a CSV file with start_ts, end_ts and maybe total. */
  readonly windows: string;
  /** Only windows that start in [fromAt, toAt). */
  readonly fromAt?: number | undefined;
  readonly toAt?: number | undefined;
  readonly everyMs: number;
  readonly prices?: string | undefined;
  /** Whose prices, of a file with those of several accounts. */
  readonly account?: string | undefined;
  /** CSV with from_ts and to_ts of what was not collected; without it, long silences are taken for that. */
  readonly gaps?: string | undefined;
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/** History before the first generated window, so that it is forecast from more than a guess. */
const WARM_UP_MS = 56 * DAY_MS;

/** Forecasts each window from rolling origins, each with no more than was known there. */
export async function backtest(options: BacktestOptions): Promise<Row[]> {
  const postTimes = await readPosts(options.posts);
  const firstAt = postTimes[0];
  const knownUntil = postTimes.at(-1);
  if (firstAt === undefined || knownUntil === undefined) {
    throw new ServiceError('BACKTEST_EMPTY', `${options.posts} has no posts`);
  }
  const gaps = options.gaps === undefined ? gapsIn(postTimes) : await readGaps(options.gaps);
  const windows = await windowsFor(options, firstAt, knownUntil, (window) => !overlaps(window, gaps));
  if (windows.length === 0) {
    throw new ServiceError('BACKTEST_EMPTY', 'no window lies within the posts and the times asked for');
  }
  const prices =
    options.prices === undefined ? [] : await readPrices(options.prices, windows, options.account);
  const material: Material = { postTimes, gaps, windows, prices, knownUntil };
  const jobs = planJobs(windows, options.everyMs);
  let done = 0;
  let all = 0;
  const run = (some: readonly Job[]) => {
    all += some.reduce((sum, { forecasts }) => sum + forecasts.length, 0);
    const onForecast = () => options.onProgress(++done, all);
    return runJobs(some, material, { onForecast, signal: options.signal });
  };
  const results = await run(jobs);
  const toCorrect = jobsToCorrect(jobs, results, material);
  const corrected = await run(toCorrect.map(({ job }) => job));
  for (const [place, { index }] of toCorrect.entries())
    results.splice(index, 1, ...corrected.slice(place, place + 1));
  return results.flatMap(({ rows }) => rows);
}

/** Ascending, in memory that workers share. */
async function readPosts(path: string): Promise<Float64Array> {
  const times = (await readNumbers(path, { required: ['created_ts|created_at'] })).map(([at]) => at ?? 0);
  const shared = new Float64Array(new SharedArrayBuffer(8 * times.length));
  shared.set(times);
  return shared.sort();
}

async function windowsFor(
  { windows, fromAt = Number.NEGATIVE_INFINITY, toAt = Number.POSITIVE_INFINITY }: BacktestOptions,
  firstAt: number,
  knownUntil: number,
  isWhole: (window: Window) => boolean,
): Promise<Window[]> {
  const isAsked = ({ startAt }: Window) => startAt >= fromAt && startAt < toAt;
  if (!isWindowKind(windows)) {
    await access(windows).catch((cause: unknown) => {
      const expected = `expected ${WINDOW_KINDS.join(', ')} or a file that can be read`;
      throw new ServiceError('BACKTEST_FILE', `there are no windows ${windows}, ${expected}`, { cause });
    });
    return (await readWindows(windows)).filter(isAsked);
  }
  const warmFrom = Math.max(firstAt + WARM_UP_MS, Number.isFinite(fromAt) ? fromAt : 0);
  return windowsOf(windows, warmFrom, knownUntil).filter((window) => isAsked(window) && isWhole(window));
}
