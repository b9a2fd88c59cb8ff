import { chartGrid, htmlTable, type Origin, pageFrame } from '../backtest/page-frame.ts';
import { axisAround, dateAxis, dots, idealLine, line, plot, whisker } from '../backtest/plot.ts';
import type { TradingSummary } from '../pnl/trading-summary.ts';
import type { RecordedResult } from './recorded-backtest.ts';
import type { RecordedScores } from './recorded-scores.ts';
import { edgeRows, moneyRows, scoreRows, sideRows, verdictOf } from './recorded-table.ts';

type Shown = Pick<RecordedResult, 'scores' | 'trading'>;

/** Classes of the curves, the strategy in question first. */
const CURVES = ['model', 'pace', 'other', 'count', 'soft'];
/** Points of a curve with a value where the pointer is near. */
const TOLD_POINTS = 60;

/** What the records of an engine were worth, as one HTML page that needs nothing else. */
export function recordedPage(result: Shown, title: string, origin: Origin): string {
  return pageFrame(title, verdictOf(result), sections(result), origin);
}

function sections({ scores, trading }: Shown): string {
  const [head = [], ...rows] = scoreRows(scores);
  const [moneyHead = [], ...money] = moneyRows(trading);
  const [edgeHead = [], ...edges] = edgeRows(trading);
  const [sideHead = [], ...sides] = sideRows(trading);
  const first = trading[0];
  return [
    '<h2>Forecasts</h2>',
    `<p>${scores.scored} of ${scores.forecasts} live forecasts have an outcome. Model, market and the log pool of both are compared
only where every bucket had a price that was known to hold at most two minutes before. Lower is better; intervals are by events.</p>`,
    ...(rows.length === 0
      ? []
      : [
          htmlTable(
            head,
            rows.map((cells, index) => ({ cells, isSum: index === 0 })),
          ),
        ]),
    chartGrid(differenceChart(scores)),
    '<h2>Profit and loss</h2>',
    `<p>Fills at the recorded best price within the recorded size, with the fee of each market, after the latency. The equity counts
what is held at what somebody bids for it.</p>`,
    htmlTable(
      moneyHead,
      money.map((cells, index) => ({ cells, isSum: index === 0 })),
    ),
    chartGrid(equityChart(trading)),
    ...(first === undefined || edges.length === 0
      ? []
      : [
          `<h2>Bets of ${first.strategy} by edge</h2>`,
          htmlTable(
            edgeHead,
            edges.map((cells) => ({ cells })),
          ),
          `<h2>Bets of ${first.strategy} by side</h2>`,
          htmlTable(
            sideHead,
            sides.map((cells) => ({ cells })),
          ),
        ]),
  ].join('\n');
}

/** The log score of the model less that of the market, by hours left. */
function differenceChart({ by_horizon }: RecordedScores): string[] {
  const found = Object.entries(by_horizon).flatMap(([hours, { against_market: against }]) =>
    against === null ? [] : [{ hours, ...against }],
  );
  if (found.length === 0) return [];
  const y = axisAround(
    'log score against the market',
    found.flatMap(({ difference, difference_interval }) => [difference, ...(difference_interval ?? [])]),
    (value) => value.toFixed(2),
  );
  const points = found.map(({ difference }, index) => ({ x: index, y: difference }));
  return [
    plot({
      title: 'Model against market: below 0 the model is better',
      x: {
        ...{ label: 'hours left', from: -0.5, to: found.length - 0.5, ticks: found.map((_, index) => index) },
        format: (index) => found[index]?.hours ?? '',
      },
      y,
      draw: (frame) =>
        idealLine(frame, { x: -0.5, y: 0 }, { x: found.length - 0.5, y: 0 }) +
        found
          .map(({ difference_interval }, index) => whisker(frame, index, difference_interval, y))
          .join('') +
        dots(frame, points, 'model', ({ y: value }, index) => {
          const { hours, n, events } = found[index] ?? {};
          return `${hours} h left: ${value.toFixed(3)}, ${n} forecasts of ${events} events`;
        }),
      legend: [
        ['model', 'measured, with 95 % interval'],
        ['ideal', 'no difference'],
      ],
    }),
  ];
}

function equityChart(trading: readonly TradingSummary[]): string[] {
  const times = trading.flatMap(({ curve }) => curve.map(([at]) => at));
  const gains = trading.flatMap(({ curve, start_usd }) => curve.map(([, usd]) => usd - start_usd));
  if (times.length < 2) return [];
  const [from, to] = times.reduce(
    ([low, high], at) => [Math.min(low, at), Math.max(high, at)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const [low, high] = gains.reduce(
    ([least, most], usd) => [Math.min(least, usd), Math.max(most, usd)],
    [0, 0],
  );
  return [
    plot({
      title: 'Profit over time, USD',
      x: dateAxis('day, UTC', from, to),
      y: axisAround('profit, USD', [low, high], (value) => value.toFixed(Math.abs(high - low) < 10 ? 1 : 0)),
      draw: (frame) =>
        trading
          .map(({ strategy, curve, start_usd }, index) => {
            const points = curve.map(([at, usd]) => ({ x: at, y: usd - start_usd }));
            const step = Math.max(1, Math.ceil(points.length / TOLD_POINTS));
            const told = points.filter((_, place) => place % step === 0 || place === points.length - 1);
            const name = CURVES[index] ?? 'soft';
            const text = ({ x, y }: { readonly x: number; readonly y: number }) =>
              `${strategy}, ${new Date(x).toISOString().slice(0, 16).replace('T', ' ')}: ${y < 0 ? '' : '+'}${y.toFixed(2)} USD`;
            return line(frame, points, name) + dots(frame, told, name, text, 0);
          })
          .join(''),
    }),
    legendLine(trading),
  ];
}

/** Names of strategies may be long, so they stand beside the picture. */
function legendLine(trading: readonly TradingSummary[]): string {
  const rows = trading.map(({ strategy, pnl_usd }, index) => ({
    cells: [
      strategy,
      ['blue', 'orange', 'purple', 'black or white', 'grey'][index] ?? 'grey',
      pnl_usd.toFixed(2),
    ],
  }));
  return htmlTable(['strategy', 'line', 'profit, USD'], rows);
}
