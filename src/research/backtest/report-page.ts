import { chartsOf, skillCharts } from './charts.ts';
import { fanChart } from './fan-chart.ts';
import type { Row } from './forecast-job.ts';
import { chartGrid, htmlTable, type Origin, pageFrame } from './page-frame.ts';
import { type Report, type ScoredRow, type Summary, scoredRows, windowsOf } from './summary.ts';
import { verdictOf } from './verdict.ts';

const FANS = 4;

const COLUMNS: readonly (readonly [heading: string, cell: (summary: Summary) => string])[] = [
  ['n', ({ n }) => String(n)],
  ['windows', ({ windows }) => String(windows)],
  ['CRPS', ({ crps }) => crps.toFixed(2)],
  ['of the pace', ({ crps_pace }) => crps_pace.toFixed(2)],
  ['gain', ({ crps_gain }) => percent(crps_gain)],
  ['95 % interval', ({ crps_gain_interval }) => interval(crps_gain_interval)],
  ['log score', ({ log_score }) => log_score.toFixed(3)],
  ['of the pace', ({ log_score_pace }) => log_score_pace.toFixed(3)],
  ['inside 90 %', ({ coverage90 }) => percent(coverage90)],
  ['median error', ({ median_ape }) => percent(median_ape)],
  ['PIT mean', ({ pit_mean }) => pit_mean.toFixed(3)],
];

const MARKET_COLUMNS: typeof COLUMNS = [
  ['with prices', ({ market }) => String(market?.n ?? 0)],
  ['market log score', ({ market }) => market?.log_score.toFixed(3) ?? ''],
  ['ours there', ({ market }) => market?.log_score_model.toFixed(3) ?? ''],
  ['pool of both', ({ market }) => market?.log_score_pool.toFixed(3) ?? ''],
  ['market CRPS', ({ market }) => market?.crps.toFixed(2) ?? ''],
  ['ours there', ({ market }) => market?.crps_model.toFixed(2) ?? ''],
];

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function interval(bounds: readonly [number, number] | null): string {
  return bounds === null ? '' : `${percent(bounds[0])} to ${percent(bounds[1])}`;
}

function scoreTable({ overall, by_horizon }: Report): string {
  const columns = overall.market === null ? COLUMNS : [...COLUMNS, ...MARKET_COLUMNS];
  const cells = (name: string, summary: Summary) => [name, ...columns.map(([, cell]) => cell(summary))];
  const horizons = Object.entries(by_horizon).filter(([hours]) => Number(hours) % 12 === 0);
  return htmlTable(
    ['hours left', ...columns.map(([heading]) => heading)],
    [
      { cells: cells('all', overall), isSum: true },
      ...horizons.map(([hours, summary]) => ({ cells: cells(hours, summary) })),
    ],
  );
}

/** Windows by how badly they were forecast, worst first: mean CRPS in proportion to the final count. */
function worstFirst(rows: readonly ScoredRow[]): ScoredRow[][] {
  const badness = (window: readonly ScoredRow[]) =>
    window.reduce((sum, { scores, final }) => sum + scores.crps / Math.max(20, final), 0) / window.length;
  return windowsOf(rows).sort((a, b) => badness(b) - badness(a));
}

/** The whole report as one HTML page that needs nothing else. */
export function pageOf(report: Report | null, rows: readonly Row[], title: string, origin: Origin): string {
  const body = report === null ? '' : sections(report, rows);
  const facts = [...spanOf(rows), ...origin.facts];
  return pageFrame(title, verdictOf(report), body, { ...origin, facts });
}

/** The time that the forecasts are of, and how many there are. */
function spanOf(rows: readonly Row[]): Origin['facts'] {
  const first = rows.reduce((least, { startAt }) => Math.min(least, startAt), Number.POSITIVE_INFINITY);
  const last = rows.reduce((most, { endAt }) => Math.max(most, endAt), Number.NEGATIVE_INFINITY);
  if (first > last) return [];
  const day = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return [['Windows', `${day(first)} to ${day(last)} UTC, ${rows.length} forecasts`]];
}

function sections(report: Report, rows: readonly Row[]): string {
  const scored = scoredRows(rows);
  const ranked = worstFirst(scored);
  const middle = Math.max(0, Math.floor(ranked.length / 2) - FANS / 2);
  const skill = skillCharts(scored);
  return [
    `<p>${report.windows} windows, ${report.forecasts} forecasts from rolling origins, each made with nothing but what was known there.
All are back-filled: none was published before its outcome. Rows of different numbers of windows are not of the same windows.
The pace is a Poisson forecast of the last seven days going on. A negative gain is an improvement.</p>`,
    scoreTable(report),
    '<h2>How good, how honest</h2>',
    chartGrid(chartsOf(report, scored)),
    ...(skill.length === 0 ? [] : ['<h2>When it was good</h2>', chartGrid(skill)]),
    '<h2>The windows forecast worst</h2><p>Ranked by CRPS in proportion to the final count.</p>',
    chartGrid(ranked.slice(0, FANS).map(fanChart)),
    '<h2>Windows in the middle of that ranking</h2>',
    chartGrid(ranked.slice(middle, middle + FANS).map(fanChart)),
  ].join('\n');
}
