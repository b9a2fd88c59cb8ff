import { chartsOf } from './charts.ts';
import { fanChart } from './fan-chart.ts';
import type { Row } from './forecast-job.ts';
import { escapeText } from './plot.ts';
import { type Report, type ScoredRow, type Summary, scoredRows, windowsOf } from './summary.ts';

const FANS = 4;

const STYLE = `
:root { --ink: #1c2733; --soft: #5b6b7c; --line: #e3e8ee; --model: #1f6feb; --pace: #c9772b; --ideal: #2b8a5a; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 32px 24px 64px; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: #fff; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 40px 0 8px; } p { margin: 4px 0 12px; color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 20px; }
svg { width: 100%; border: 1px solid var(--line); border-radius: 8px; background: #fff; }
.title { font-size: 13px; font-weight: 600; fill: var(--ink); } .tick, .label { font-size: 11px; fill: var(--soft); }
.grid { stroke: var(--line); } .axis { stroke: #9aa7b4; } .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.line.model { stroke: var(--model); } .line.pace { stroke: var(--pace); } .line.ideal { stroke: var(--ideal); stroke-dasharray: 5 4; stroke-width: 1.5; }
.line.count { stroke: var(--ink); stroke-width: 1.5; } .dot.model, .key.model { fill: var(--model); } .key.pace { fill: var(--pace); }
.key.ideal { fill: var(--ideal); } .key.count { fill: var(--ink); } .bar { fill: #9cc2f7; } .whisker { stroke: #9cc2f7; stroke-width: 3; }
.band.wide, .key.wide { fill: #d6e6fc; } .band.narrow, .key.narrow { fill: #9cc2f7; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } .scroll { overflow-x: auto; }
th, td { padding: 5px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; } th { font-weight: 600; color: var(--soft); font-size: 13px; }
tr.all td { font-weight: 600; background: #f5f8fc; }
`;

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
  const row = (name: string, summary: Summary, className = '') =>
    `<tr class="${className}"><td>${name}</td>${columns.map(([, cell]) => `<td>${cell(summary)}</td>`).join('')}</tr>`;
  const horizons = Object.entries(by_horizon).filter(([hours]) => Number(hours) % 12 === 0);
  return [
    `<div class="scroll"><table><thead><tr><th>hours left</th>${columns.map(([heading]) => `<th>${heading}</th>`).join('')}</tr></thead><tbody>`,
    row('all', overall, 'all'),
    ...horizons.map(([hours, summary]) => row(hours, summary)),
    '</tbody></table></div>',
  ].join('\n');
}

/** Windows by how badly they were forecast, worst first: mean CRPS in proportion to the final count. */
function worstFirst(rows: readonly ScoredRow[]): ScoredRow[][] {
  const badness = (window: readonly ScoredRow[]) =>
    window.reduce((sum, { scores, final }) => sum + scores.crps / Math.max(20, final), 0) / window.length;
  return windowsOf(rows).sort((a, b) => badness(b) - badness(a));
}

/** The whole report as one HTML page that needs nothing else. */
export function pageOf(report: Report | null, rows: readonly Row[], title: string): string {
  const body = report === null ? '<p>No window has a known end yet.</p>' : sections(report, rows);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeText(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeText(title)}</h1>${body}</body></html>
`;
}

function sections(report: Report, rows: readonly Row[]): string {
  const scored = scoredRows(rows);
  const ranked = worstFirst(scored);
  const middle = Math.max(0, Math.floor(ranked.length / 2) - FANS / 2);
  const charts = (pictures: readonly string[]) => `<div class="charts">${pictures.join('\n')}</div>`;
  return [
    `<p>${report.windows} windows, ${report.forecasts} forecasts from rolling origins, each made with nothing but what was known there.
All are back-filled: none was published before its outcome. Rows of different numbers of windows are not of the same windows.
The pace is a Poisson forecast of the last seven days going on. A negative gain is an improvement.</p>`,
    scoreTable(report),
    '<h2>How good, how honest</h2>',
    charts(chartsOf(report, scored)),
    '<h2>The windows forecast worst</h2><p>Ranked by CRPS in proportion to the final count.</p>',
    charts(ranked.slice(0, FANS).map(fanChart)),
    '<h2>Windows in the middle of that ranking</h2>',
    charts(ranked.slice(middle, middle + FANS).map(fanChart)),
  ].join('\n');
}
