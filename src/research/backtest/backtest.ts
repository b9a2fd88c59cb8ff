import { ServiceError } from '../../errors.ts';
import { readNumbers } from './csv.ts';
import type { Material, Row } from './forecast-job.ts';
import { holesIn, readHoles } from './holes.ts';
import { readPrices } from './market.ts';
import { planJobs } from './plan.ts';
import { runJobs } from './pool.ts';
import { isWindowKind, overlaps, readWindows, type Window, windowsOf } from './windows.ts';

export interface BacktestOptions {
  /** CSV with the column created_ts, UTC ms. */
  readonly posts: string;
  /** A kind of window, or a CSV file with start_ts, end_ts and maybe total. */
  readonly windows: string;
  /** Only windows that start in [fromAt, toAt). */
  readonly fromAt?: number | undefined;
  readonly toAt?: number | undefined;
  readonly everyMs: number;
  readonly prices?: string | undefined;
  /** CSV with from_ts and to_ts of what was not collected; without it, long silences are taken for that. */
  readonly gaps?: string | undefined;
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/** History before the first generated window, so that it is forecast from more than a guess. */
const WARM_UP_MS = 56 * 86_400_000;

/** Forecasts each window from rolling origins, each with no more than was known there. */
export async function backtest(options: BacktestOptions): Promise<Row[]> {
  const postTimes = await readPosts(options.posts);
  const firstAt = postTimes[0];
  const knownUntil = postTimes.at(-1);
  if (firstAt === undefined || knownUntil === undefined) {
    throw new ServiceError('BACKTEST_EMPTY', `${options.posts} has no posts`);
  }
  const holes = options.gaps === undefined ? holesIn(postTimes) : await readHoles(options.gaps);
  const windows = await windowsFor(options, firstAt, knownUntil, (window) => !overlaps(window, holes));
  if (windows.length === 0) {
    throw new ServiceError('BACKTEST_EMPTY', 'no window lies within the posts and the times asked for');
  }
  const prices = options.prices === undefined ? [] : await readPrices(options.prices, windows);
  const material: Material = { postTimes, holes, windows, prices, knownUntil };
  const jobs = planJobs(windows, options.everyMs);
  const all = jobs.reduce((sum, { forecasts }) => sum + forecasts.length, 0);
  let done = 0;
  return await runJobs(jobs, material, {
    onForecast: () => options.onProgress(++done, all),
    signal: options.signal,
  });
}

/** Ascending, in memory that workers share. */
async function readPosts(path: string): Promise<Float64Array> {
  const times = (await readNumbers(path, { required: ['created_ts'] })).map(([at]) => at ?? 0);
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
  if (!isWindowKind(windows)) return (await readWindows(windows)).filter(isAsked);
  const warmFrom = Math.max(firstAt + WARM_UP_MS, Number.isFinite(fromAt) ? fromAt : 0);
  return windowsOf(windows, warmFrom, knownUntil).filter((window) => isAsked(window) && isWhole(window));
}
