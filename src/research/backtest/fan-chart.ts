import { HOUR_MS } from '../../../streams/internal.ts';
import { axisFromZero, band, dayTicks, dots, idealLine, line, type Point, plot } from './plot.ts';
import { hoursLeft, type ScoredRow } from './summary.ts';

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** How the forecasts of one window narrowed down to its outcome. `rows` are those of the window, oldest first. */
export function fanChart(rows: readonly ScoredRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const { startAt, endAt, final } = first;
  const hours = (endAt - startAt) / HOUR_MS;
  const curve = (value: (row: ScoredRow) => number): Point[] => [
    ...rows.map((row) => ({ x: hours - hoursLeft(row), y: value(row) })),
    { x: hours, y: final },
  ];
  const level = (percent: number) => curve(({ quantiles }) => quantiles[percent - 1] ?? 0);
  const counted = curve(({ count }) => count);
  return plot({
    title: `${dayOf(startAt)} to ${dayOf(endAt)}: ${final} posts`,
    x: {
      label: 'days since the window opened',
      from: 0,
      to: hours,
      ticks: dayTicks(hours),
      format: (value) => String(Math.round(value / 24)),
    },
    y: axisFromZero('final count', [final, ...rows.map(({ p95 }) => p95)], (value) =>
      String(Math.round(value)),
    ),
    draw: (frame) =>
      band(frame, level(5), level(95), 'wide') +
      band(frame, level(25), level(75), 'narrow') +
      line(frame, level(50), 'model') +
      line(frame, counted, 'count') +
      dots(
        frame,
        level(50).slice(0, rows.length),
        'model',
        ({ x, y }, index) => {
          const { p5 = 0, p95 = 0, count = 0 } = rows[index] ?? {};
          return `after ${Math.round(x)} h: median ${y}, p5 to p95 ${p5} to ${p95}, ${count} counted`;
        },
        0,
      ) +
      idealLine(frame, { x: 0, y: final }, { x: hours, y: final }),
    legend: [
      ['wide', 'p5 to p95'],
      ['narrow', 'p25 to p75'],
      ['count', 'counted so far'],
      ['ideal', 'final'],
    ],
  });
}
