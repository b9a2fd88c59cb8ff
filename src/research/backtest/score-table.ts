import type { MarketSummary, Report, Summary } from './summary.ts';

const HEADINGS = [
  'hours left',
  'n',
  'windows',
  'CRPS',
  'pace',
  'gain',
  'log',
  'pace',
  'in 90 %',
  'median APE',
];

function cells(name: string, summary: Summary): string[] {
  const { n, windows, crps, crps_pace, crps_gain, log_score, log_score_pace, coverage90, median_ape } =
    summary;
  return [
    name,
    String(n),
    String(windows),
    crps.toFixed(2),
    crps_pace.toFixed(2),
    `${(100 * crps_gain).toFixed(1)} %`,
    log_score.toFixed(3),
    log_score_pace.toFixed(3),
    `${(100 * coverage90).toFixed(1)} %`,
    `${(100 * median_ape).toFixed(1)} %`,
  ];
}

const FOOT =
  'Every forecast is back-filled: made now, from what was known at its time, and published to nobody. Rows of\n' +
  'different numbers of windows are not of the same windows.';

const MARKET_HEADINGS = [
  ...['hours left', 'with prices', 'windows', 'log', 'market', 'pool'],
  ...['model - market', '95 % interval', 'pool - market', '95 % interval'],
];

function marketCells(name: string, market: MarketSummary): string[] {
  const interval = (bounds: readonly [number, number] | null) =>
    bounds === null ? '-' : `${signed(bounds[0])} to ${signed(bounds[1])}`;
  return [
    ...[name, String(market.n), String(market.windows), market.log_score_model.toFixed(3)],
    ...[market.log_score.toFixed(3), market.log_score_pool.toFixed(3)],
    ...[signed(market.log_score_difference), interval(market.log_score_difference_interval)],
    ...[signed(market.log_score_pool_difference), interval(market.log_score_pool_difference_interval)],
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}

const MARKET_FOOT =
  'Log scores on the buckets of the market, of the forecasts beside which every bucket had a price no older than two\n' +
  'minutes. The pool is the normalised geometric mean of model and market. Below 0 the first is better; intervals are\n' +
  'by windows.';

/** Model, market and pool at the same instants, by hours left; nothing without prices. */
function marketTable({ overall, by_horizon }: Report): readonly string[] {
  if (overall.market === null) return [];
  const horizons = Object.entries(by_horizon).flatMap(([hours, { market }]) =>
    market === null ? [] : [marketCells(hours, market)],
  );
  return ['', ...columns([MARKET_HEADINGS, marketCells('all', overall.market), ...horizons]), MARKET_FOOT];
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

/** The scores as text in columns: all forecasts, then by hours left in steps of a day; then those beside the market. */
export function tableOf(report: Report): string {
  const { overall, by_horizon } = report;
  const daily = Object.entries(by_horizon).filter(([hours]) => Number(hours) % 24 === 0);
  const rows = [HEADINGS, cells('all', overall), ...daily.map(([hours, summary]) => cells(hours, summary))];
  return [...columns(rows), FOOT, ...marketTable(report)].join('\n');
}
