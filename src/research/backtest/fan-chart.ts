import { HOUR_MS } from '../../../streams/internal.ts';
import { axisFromZero, band, line, type Point, plot } from './plot.ts';
import { hoursLeft, type ScoredRow } from './summary.ts';

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** How the forecast of one window narrowed down to its outcome. Rows are of that window, oldest first. */
export function fanChart(rows: readonly ScoredRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const { startAt, endAt, final } = first;
  const hours = (endAt - startAt) / HOUR_MS;
  const at = (value: (row: ScoredRow) => number, closing = final): Point[] => [
    ...rows.map((row) => ({ x: hours - hoursLeft(row), y: value(row) })),
    { x: hours, y: closing },
  ];
  const level = (percent: number) => at(({ quantiles }) => quantiles[percent - 1] ?? 0);
  const stepDays = Math.max(1, Math.ceil(hours / 24 / 7));
  return plot({
    title: `${dayOf(startAt)} to ${dayOf(endAt)}: ${final} posts`,
    x: {
      label: 'days since the window opened',
      from: 0,
      to: hours,
      ticks: Array.from(
        { length: Math.floor(hours / 24 / stepDays) + 1 },
        (_, index) => index * stepDays * 24,
      ),
      format: (value) => String(Math.round(value / 24)),
    },
    y: axisFromZero('final count', [final, ...rows.map(({ p95 }) => p95)], (value) =>
      String(Math.round(value)),
    ),
    draw: (frame) =>
      band(frame, level(5), level(95), 'wide') +
      band(frame, level(25), level(75), 'narrow') +
      line(frame, level(50), 'model') +
      line(
        frame,
        at(({ count }) => count),
        'count',
      ) +
      line(
        frame,
        [
          { x: 0, y: final },
          { x: hours, y: final },
        ],
        'ideal',
      ),
    legend: [
      ['wide', 'p5 to p95'],
      ['narrow', 'p25 to p75'],
      ['count', 'counted so far'],
      ['ideal', 'final'],
    ],
  });
}
