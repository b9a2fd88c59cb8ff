import { median } from '../median.ts';

/** Settled events behind each point of the line. */
const RUN = 9;
/** Share of the errors that the chart always shows. */
const USUAL = 0.95;

interface Sample {
  readonly timestamp: string;
  readonly error_pct: number | null;
  readonly origin: 'live' | 'history';
}

type Column = (number | null)[];

interface ErrorPoints {
  /** Seconds, errors of live and of back-filled forecasts, and the running medians of both together. */
  readonly columns: [number[], Column, Column, Column];
  readonly nLive: number;
  readonly nBackfilled: number;
  /** Upper end of the chart, % of the final count. */
  readonly most: number;
  readonly beyond: number;
}

/** The points of the samples, which are ordered by close. */
export function errorPoints(data: readonly Sample[]): ErrorPoints {
  const samples = data.flatMap(({ timestamp, error_pct: error, origin }) =>
    error === null ? [] : [{ at: Date.parse(timestamp) / 1_000, error, isLive: origin === 'live' }],
  );
  const errors = samples.map(({ error }) => error);
  const medians = errors.map((_error, place) =>
    median(errors.slice(Math.max(0, place - RUN + 1), place + 1)),
  );
  // One very large error would make all others look like zero.
  const usual = errors.toSorted((a, b) => a - b)[Math.floor(errors.length * USUAL)] ?? 0;
  const most = Math.max(10, Math.ceil((usual * 1.25) / 5) * 5);
  const nLive = samples.filter(({ isLive }) => isLive).length;
  return {
    columns: [
      samples.map(({ at }) => at),
      samples.map(({ error, isLive }) => (isLive ? error : null)),
      samples.map(({ error, isLive }) => (isLive ? null : error)),
      medians,
    ],
    nLive,
    nBackfilled: samples.length - nLive,
    most,
    beyond: errors.filter((error) => error > most).length,
  };
}
