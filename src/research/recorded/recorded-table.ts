import type { EdgeBand, SideBets, TradingSummary } from '../pnl/trading-summary.ts';
import type { RecordedResult } from './recorded-backtest.ts';
import type { RecordedScores, RecordedSummary } from './recorded-scores.ts';

/** The result in one sentence. An edge is claimed only where chance does not explain it. */
export function verdictOf({ scores, trading }: Pick<RecordedResult, 'scores' | 'trading'>): string {
  return `${edgeSentence(scores)} ${moneySentence(trading[0])}`;
}

function edgeSentence({ overall, scored, forecasts }: RecordedScores): string {
  if (overall === null) return `No verdict: of ${forecasts} forecasts ${scored} have an outcome yet.`;
  const against = overall.against_market;
  if (against === null) return `No verdict: no forecast of ${scored} stood beside a price of its instant.`;
  const { difference, difference_interval, events, n } = against;
  const figures = `log score ${signed(difference, 3)} against the market${rangeText(difference_interval, 3)}, ${n} forecasts of ${events} events`;
  if (difference_interval !== null && difference_interval[1] < 0)
    return `The model was better than the market: ${figures}.`;
  if (difference_interval !== null && difference_interval[0] > 0)
    return `The model was worse than the market: ${figures}.`;
  return `No edge over the market is shown: ${figures}.`;
}

function moneySentence(summary: TradingSummary | undefined): string {
  if (summary === undefined) return '';
  const { strategy, pnl_usd, start_usd, pnl_interval, bets, open_bets } = summary;
  if (bets + open_bets === 0) return `${strategy} made no bet.`;
  return `${strategy} made ${signed(pnl_usd, 2)} USD of ${start_usd}${rangeText(pnl_interval, 2)} with ${bets + open_bets} bets.`;
}

function signed(value: number, digits: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(digits)}`;
}

function rangeText(interval: readonly [number, number] | null, digits: number): string {
  if (interval === null) return '';
  return ` (95 % interval ${signed(interval[0], digits)} to ${signed(interval[1], digits)})`;
}

const dash = '-';
const fixed = (value: number | null | undefined, digits: number) => value?.toFixed(digits) ?? dash;
const percent = (value: number | null) => (value === null ? dash : `${(100 * value).toFixed(1)} %`);

const SCORE_HEADINGS = [
  ...['hours left', 'n', 'events', 'log', 'pace', 'CRPS', 'pace', 'in 90 %'],
  ...['with prices', 'log', 'market', 'pool', 'model - market', '95 % interval'],
  ...['pool - market', '95 % interval'],
];

function scoreCells(name: string, { n, events, model, pace, against_market }: RecordedSummary): string[] {
  const range = (interval: readonly [number, number] | null | undefined) =>
    interval ? `${signed(interval[0], 3)} to ${signed(interval[1], 3)}` : dash;
  return [
    ...[name, String(n), String(events), fixed(model.log_score, 3), fixed(pace.log_score, 3)],
    ...[fixed(model.crps, 2), fixed(pace.crps, 2), percent(model.coverage90)],
    ...[String(against_market?.n ?? 0), fixed(against_market?.model.log_score, 3)],
    ...[fixed(against_market?.market.log_score, 3), fixed(against_market?.pool.log_score, 3)],
    ...[fixed(against_market?.difference, 3), range(against_market?.difference_interval)],
    ...[fixed(against_market?.pool_less_market, 3), range(against_market?.pool_less_market_interval)],
  ];
}

const MONEY_HEADINGS = [
  ...['strategy', 'end USD', 'profit', '95 % interval', 'bets', 'open', 'hits'],
  ...['fills', 'turnover', 'fees', 'drawdown'],
];

function moneyCells(summary: TradingSummary): string[] {
  const { strategy, end_usd, pnl_usd, pnl_interval: interval, bets, open_bets, hit_rate } = summary;
  return [
    ...[strategy, end_usd.toFixed(2), signed(pnl_usd, 2)],
    interval ? `${signed(interval[0], 2)} to ${signed(interval[1], 2)}` : dash,
    ...[String(bets), String(open_bets), percent(hit_rate), String(summary.fills)],
    ...[summary.turnover_usd.toFixed(2), summary.fees_usd.toFixed(2), percent(summary.max_drawdown)],
  ];
}

const BET_HEADINGS = ['bets', 'hits', 'bought USD', 'profit'];

/** A band of edges in words. */
function bandName({ from, to }: Pick<EdgeBand, 'from' | 'to'>): string {
  if (from === null) return to === null ? 'not stated' : `below ${to}`;
  return to === null ? `${from} and more` : `${from} to ${to}`;
}

function betCells(name: string, { bets, hit_rate, bought_usd, pnl_usd }: EdgeBand | SideBets): string[] {
  return [name, String(bets), percent(hit_rate), bought_usd.toFixed(2), signed(pnl_usd, 2)];
}

/** Columns under each other, the first to the left and the others to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
  return rows.map((row) => line(row).join('  ')).join('\n');
}

type Rows = readonly (readonly string[])[];

/** Headings, all forecasts, then by hours left; nothing without a score. */
export function scoreRows({ overall, by_horizon }: RecordedScores): Rows {
  if (overall === null) return [];
  const rows = Object.entries(by_horizon).map(([hours, summary]) => scoreCells(hours, summary));
  return [SCORE_HEADINGS, scoreCells('all', overall), ...rows];
}

export function moneyRows(trading: readonly TradingSummary[]): Rows {
  return [MONEY_HEADINGS, ...trading.map(moneyCells)];
}

/** Of the strategy in question; nothing without a bet that is over. */
export function edgeRows([first]: readonly TradingSummary[]): Rows {
  const bands = first?.by_edge ?? [];
  return bands.length === 0
    ? []
    : [['edge', ...BET_HEADINGS], ...bands.map((band) => betCells(bandName(band), band))];
}

/** The same bets by side. */
export function sideRows([first]: readonly TradingSummary[]): Rows {
  const sides = first?.by_side ?? [];
  return sides.length === 0
    ? []
    : [['side', ...BET_HEADINGS], ...sides.map((side) => betCells(side.side, side))];
}

/** Verdict, scores by hours left, profit of every strategy, and hits by edge and by side of the one in question. */
export function recordedText(result: Pick<RecordedResult, 'scores' | 'trading'>): string {
  const { scores, trading } = result;
  const tables = [scoreRows(scores), moneyRows(trading), edgeRows(trading), sideRows(trading)];
  return [verdictOf(result), ...tables.filter((rows) => rows.length > 0).map(table)].join('\n\n');
}
