import {
  type Axis,
  axisAround,
  axisFromZero,
  dateAxis,
  dayTicks,
  dots,
  idealLine,
  line,
  type Point,
  plot,
  whisker,
} from './plot.ts';
import { quantileReliability, type Reliability, topReliability } from './reliability.ts';
import { ROLLING_WINDOWS, rollingSkill, skillByRegime } from './skill.ts';
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
    draw: (frame) =>
      line(frame, pace, 'pace') +
      line(frame, model, 'model') +
      dots(frame, pace, 'pace', ({ x, y }) => `${x} h left: ${y.toFixed(2)}, pace`) +
      dots(frame, model, 'model', ({ x, y }) => `${x} h left: ${y.toFixed(2)}, forecast`),
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
    draw: (frame) =>
      line(frame, high, 'pace') +
      line(frame, median, 'model') +
      dots(frame, high, 'pace', ({ x, y }) => `${x} h left: nine tenths below ${(100 * y).toFixed(1)} %`) +
      dots(frame, median, 'model', ({ x, y }) => `${x} h left: half below ${(100 * y).toFixed(1)} %`),
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
  const least = Math.min(0.5, ...shares.map(({ y }) => Math.floor(y * 10) / 10));
  const y = {
    label: 'share of outcomes',
    from: least,
    to: 1,
    ticks: [0.5, 0.6, 0.7, 0.8, 0.9, 1],
    format: percent,
  };
  return plot({
    title: 'Outcomes inside p5 to p95, by horizon',
    x: hoursAxis(at),
    y,
    draw: (frame) =>
      idealLine(frame, { x: 0, y: 0.9 }, { x: Math.max(...at.map(({ hours }) => hours)), y: 0.9 }) +
      at.map(({ hours, coverage90_interval }) => whisker(frame, hours, coverage90_interval, y)).join('') +
      dots(frame, shares, 'model', (point, index) => {
        const interval = at[index]?.coverage90_interval ?? null;
        return `${point.x} h left: ${(100 * point.y).toFixed(1)} %${rangeText(interval)}`;
      }),
    legend: [
      ['model', 'measured, with 95 % interval'],
      ['ideal', 'as promised: 90 %'],
    ],
  });
}

function rangeText(interval: readonly [number, number] | null): string {
  return interval === null ? '' : ` (95 %: ${percent(interval[0])} to ${percent(interval[1])})`;
}

/** What was promised against what happened, as dots with whiskers. */
function reliabilityChart(
  title: string,
  labels: { readonly x: string; readonly y: string },
  found: readonly Reliability[],
): string {
  const axis = { from: 0, to: 1, ticks: SHARES, format: percent };
  const points = found.map(({ promised, happened }) => ({ x: promised, y: happened }));
  return plot({
    title,
    x: { label: labels.x, ...axis },
    y: { label: labels.y, ...axis },
    draw: (frame) =>
      idealLine(frame, { x: 0, y: 0 }, { x: 1, y: 1 }) +
      found.map(({ promised, interval }) => whisker(frame, promised, interval, axis)).join('') +
      dots(frame, points, 'model', ({ x, y }, index) => {
        const { n = 0, interval = null } = found[index] ?? {};
        return `promised ${percent(x)}, happened ${percent(y)}${rangeText(interval)}, n ${n}`;
      }),
    legend: [
      ['model', 'measured, with 95 % interval'],
      ['ideal', 'perfect'],
    ],
  });
}

function quantileChart(rows: readonly ScoredRow[]): string {
  return reliabilityChart(
    'Calibration: outcomes at or below each quantile',
    { x: 'level of the quantile', y: 'share of outcomes' },
    quantileReliability(rows),
  );
}

function topChart(rows: readonly ScoredRow[]): string {
  return reliabilityChart(
    'Calibration: how often the likeliest bucket of 20 won',
    { x: 'probability of that bucket', y: 'share that won' },
    topReliability(rows),
  );
}

const gainText = (value: number) => `${(100 * value).toFixed(0)} %`;

/** How the gain over the pace moved; nothing with too few windows. */
function rollingChart(rows: readonly ScoredRow[]): string[] {
  const found = rollingSkill(rows);
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined || found.length < 2) return [];
  const points = found.map(({ at, gain }) => ({ x: at, y: gain }));
  const y = axisAround(
    'CRPS against the pace',
    found.flatMap(({ gain, interval }) => [gain, ...(interval ?? [])]),
    gainText,
  );
  return [
    plot({
      title: `Gain over the pace, the last ${ROLLING_WINDOWS} windows each time`,
      x: dateAxis('end of the last window', first.at, last.at),
      y,
      draw: (frame) =>
        found.map(({ at, interval }) => whisker(frame, at, interval, y)).join('') +
        idealLine(frame, { x: first.at, y: 0 }, { x: last.at, y: 0 }) +
        line(frame, points, 'model') +
        dots(
          frame,
          points,
          'model',
          ({ x, y: gain }, index) =>
            `${new Date(x).toISOString().slice(0, 10)}: ${(100 * gain).toFixed(1)} %${rangeText(found[index]?.interval ?? null)}`,
          0,
        ),
      legend: [
        ['model', 'below 0 is better'],
        ['ideal', 'no gain'],
      ],
    }),
  ];
}

/** The gain where the count jumped against the window before, and where it did not. */
function regimeChart(rows: readonly ScoredRow[]): string[] {
  const found = skillByRegime(rows);
  if (found.length === 0) return [];
  const y = axisAround(
    'CRPS against the pace',
    found.flatMap(({ gain, interval }) => [gain, ...(interval ?? [])]),
    gainText,
  );
  const points = found.map(({ gain }, index) => ({ x: index, y: gain }));
  return [
    plot({
      title: 'Gain over the pace, where counts jumped and not',
      x: {
        label: 'the count against that of the window before, by half',
        ...{ from: -0.5, to: found.length - 0.5, ticks: found.map((_, index) => index) },
        format: (index) => `${found[index]?.name} (${found[index]?.windows})`,
      },
      y,
      draw: (frame) =>
        idealLine(frame, { x: -0.5, y: 0 }, { x: found.length - 0.5, y: 0 }) +
        found.map(({ interval }, index) => whisker(frame, index, interval, y)).join('') +
        dots(
          frame,
          points,
          'model',
          ({ y: gain }, index) => {
            const { name, windows, interval = null, coverage = 0 } = found[index] ?? {};
            return `${name}, ${windows} windows: ${(100 * gain).toFixed(1)} %${rangeText(interval)}, inside 90 %: ${percent(coverage)}`;
          },
          4,
        ),
      legend: [
        ['model', 'below 0 is better'],
        ['ideal', 'no gain'],
      ],
    }),
  ];
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
        const from = Math.round((100 * bin) / PIT_BINS);
        const title = `<title>${from} to ${from + 100 / PIT_BINS} %: ${height.toFixed(2)}</title>`;
        return `<rect class="bar" x="${frame.x(bin / PIT_BINS) + 1}" y="${top}" width="${width}" height="${frame.y(0) - top}">${title}</rect>`;
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
    quantileChart(rows),
    topChart(rows),
    pitChart(rows),
  ];
}

/** Skill over time and by regime, as far as there are windows for it. */
export function skillCharts(rows: readonly ScoredRow[]): string[] {
  return [...rollingChart(rows), ...regimeChart(rows)];
}
