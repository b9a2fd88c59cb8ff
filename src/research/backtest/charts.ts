import { type Axis, axisFromZero, dayTicks, dots, idealLine, line, type Point, plot } from './plot.ts';
import type { Report, ScoredRow, Summary } from './summary.ts';

const percent = (value: number) => `${Math.round(100 * value)} %`;
const whole = (value: number) => String(Math.round(value));
const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];

interface AtHorizon extends Summary {
  readonly hours: number;
}

/** Horizons that enough windows share; a week with a clock change has others. */
function horizons({ by_horizon }: Report): AtHorizon[] {
  const all = Object.entries(by_horizon).map(([hours, summary]) => ({ hours: Number(hours), ...summary }));
  const most = Math.max(...all.map(({ n }) => n));
  return all.filter(({ n }) => n * 2 >= most);
}

function hoursAxis(at: readonly AtHorizon[]): Axis {
  const to = Math.max(...at.map(({ hours }) => hours));
  return { label: 'hours left when the forecast was made', from: 0, to, ticks: dayTicks(to), format: whole };
}

function curve(at: readonly AtHorizon[], value: (summary: AtHorizon) => number): Point[] {
  return at.map((summary) => ({ x: summary.hours, y: value(summary) }));
}

interface ComparisonOptions {
  readonly title: string;
  readonly label: string;
  readonly model: (summary: AtHorizon) => number;
  readonly pace: (summary: AtHorizon) => number;
  readonly format: Axis['format'];
}

/** The forecast's score beside the pace's, by horizon. */
function comparisonChart(report: Report, options: ComparisonOptions): string {
  const at = horizons(report);
  const model = curve(at, options.model);
  const pace = curve(at, options.pace);
  const scores = [...model, ...pace].map(({ y }) => y);
  return plot({
    title: options.title,
    x: hoursAxis(at),
    y: axisFromZero(options.label, scores, options.format),
    draw: (frame) => line(frame, pace, 'pace') + line(frame, model, 'model') + dots(frame, model, 'model'),
    legend: [
      ['model', 'forecast'],
      ['pace', 'last seven days go on'],
    ],
  });
}

function errorChart(report: Report): string {
  return comparisonChart(report, {
    title: 'Error by horizon: CRPS, in posts (lower is better)',
    label: 'CRPS',
    model: ({ crps }) => crps,
    pace: ({ crps_pace }) => crps_pace,
    format: whole,
  });
}

function medianErrorChart(report: Report): string {
  const at = horizons(report);
  const median = curve(at, ({ median_ape }) => median_ape);
  const high = curve(at, ({ p90_ape }) => p90_ape);
  return plot({
    title: 'Error of the median, in percent of the final count',
    x: hoursAxis(at),
    y: axisFromZero(
      'error',
      high.map(({ y }) => y),
      percent,
    ),
    draw: (frame) => line(frame, high, 'pace') + line(frame, median, 'model') + dots(frame, median, 'model'),
    legend: [
      ['model', 'half of the errors are below'],
      ['pace', 'nine tenths are below'],
    ],
  });
}

function logScoreChart(report: Report): string {
  return comparisonChart(report, {
    title: 'Log score of the bucket that won (lower is better)',
    label: 'log score',
    model: ({ log_score }) => log_score,
    pace: ({ log_score_pace }) => log_score_pace,
    format: (value) => value.toFixed(1),
  });
}

function coverageChart(report: Report): string {
  const at = horizons(report);
  const shares = curve(at, ({ coverage90 }) => coverage90);
  return plot({
    title: 'Outcomes inside p5 to p95, by horizon',
    x: hoursAxis(at),
    y: { label: 'share of outcomes', from: 0.5, to: 1, ticks: [0.5, 0.6, 0.7, 0.8, 0.9, 1], format: percent },
    draw: (frame) =>
      idealLine(frame, { x: 0, y: 0.9 }, { x: Math.max(...at.map(({ hours }) => hours)), y: 0.9 }) +
      at
        .map(({ hours, coverage90_interval }) => {
          if (coverage90_interval === null) return '';
          const [low, high] = coverage90_interval;
          const x = frame.x(hours);
          return `<line class="whisker" x1="${x}" x2="${x}" y1="${frame.y(Math.max(0.5, low))}" y2="${frame.y(high)}"/>`;
        })
        .join('') +
      dots(frame, shares, 'model'),
    legend: [
      ['model', 'measured, with 95 % interval'],
      ['ideal', 'as promised: 90 %'],
    ],
  });
}

function calibrationChart(rows: readonly ScoredRow[]): string {
  const levels = Array.from({ length: 99 }, (_, index) => (index + 1) / 100);
  const points = levels.map((level, index) => ({
    x: level,
    y: rows.filter(({ final, quantiles }) => final <= (quantiles[index] ?? 0)).length / rows.length,
  }));
  const axis = { from: 0, to: 1, ticks: SHARES, format: percent };
  return plot({
    title: 'Calibration: outcomes at or below each quantile',
    x: { label: 'level of the quantile', ...axis },
    y: { label: 'share of outcomes', ...axis },
    draw: (frame) => idealLine(frame, { x: 0, y: 0 }, { x: 1, y: 1 }) + line(frame, points, 'model'),
    legend: [
      ['model', 'measured'],
      ['ideal', 'perfect'],
    ],
  });
}

const PIT_BINS = 20;

function pitChart(rows: readonly ScoredRow[]): string {
  const bins = Array.from({ length: PIT_BINS }, () => 0);
  for (const { scores } of rows) {
    const bin = Math.min(PIT_BINS - 1, Math.floor(scores.pit * PIT_BINS));
    bins[bin] = (bins[bin] ?? 0) + PIT_BINS / rows.length;
  }
  return plot({
    title: 'Where outcomes fell in their forecasts (PIT)',
    x: {
      label: 'probability given to less than the outcome',
      from: 0,
      to: 1,
      ticks: SHARES,
      format: percent,
    },
    y: axisFromZero('density (1 is right)', [1.5, ...bins], (value) => value.toFixed(1)),
    draw: (frame) => {
      const width = frame.x(1 / PIT_BINS) - frame.x(0) - 2;
      const bars = bins.map((height, bin) => {
        const top = frame.y(height);
        return `<rect class="bar" x="${frame.x(bin / PIT_BINS) + 1}" y="${top}" width="${width}" height="${frame.y(0) - top}"/>`;
      });
      return bars.join('') + idealLine(frame, { x: 0, y: 1 }, { x: 1, y: 1 });
    },
  });
}

export function chartsOf(report: Report, rows: readonly ScoredRow[]): string[] {
  return [
    errorChart(report),
    logScoreChart(report),
    medianErrorChart(report),
    coverageChart(report),
    calibrationChart(rows),
    pitChart(rows),
  ];
}
