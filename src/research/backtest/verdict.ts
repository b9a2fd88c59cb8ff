import type { Report } from './summary.ts';

/** The result in one or two sentences. Something is claimed only where chance does not explain it. */
export function verdictOf(report: Report | null): string {
  if (report === null) return 'No verdict: no window has a known end yet.';
  return [paceSentence(report), marketSentence(report)].join(' ').trim();
}

function paceSentence({ overall, windows }: Report): string {
  const { crps_gain: gain, crps_gain_interval: interval } = overall;
  const figures = `CRPS ${percent(gain)} against the pace${range(interval, percent)}, ${windows} windows`;
  if (interval !== null && interval[1] < 0) return `Better than the pace of seven days: ${figures}.`;
  if (interval !== null && interval[0] > 0) return `Worse than the pace of seven days: ${figures}.`;
  return `No better than the pace of seven days, as far as is shown: ${figures}.`;
}

function marketSentence({ overall: { market } }: Report): string {
  if (market === null) return '';
  const { log_score_difference: difference, log_score_difference_interval: interval, n, windows } = market;
  const figures = `log score ${nats(difference)} against the market${range(interval, nats)}, ${n} forecasts of ${windows} windows`;
  if (interval !== null && interval[1] < 0) return `Better than the market: ${figures}.`;
  if (interval !== null && interval[0] > 0) return `Worse than the market: ${figures}.`;
  return `No edge over the market is shown: ${figures}.`;
}

function percent(value: number): string {
  return `${value < 0 ? '' : '+'}${(100 * value).toFixed(1)} %`;
}

function nats(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}

function range(interval: readonly [number, number] | null, text: (value: number) => string): string {
  return interval === null ? '' : ` (95 % interval ${text(interval[0])} to ${text(interval[1])})`;
}
