import type uPlot from 'uplot';
import type { Answer } from '../../client/browser.ts';
import { axis, Chart, type ChartOptions, type Colours, timeAxis } from './chart.tsx';

type History = Answer<'PerformanceHistory'>;

const HEIGHT = 240;
/** Settled events behind each point of the line. */
const RUN = 9;
/** Share of the errors that the chart is sure to show. */
const USUAL = 0.95;

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function optionsOf(annotations: History['annotations'], most: number): (colours: Colours) => ChartOptions {
  return (colours) => ({
    legend: { show: false },
    padding: [14, 10, 0, 0],
    scales: { y: { range: () => [0, most] } },
    axes: [
      timeAxis(colours, 26),
      axis(colours, { size: 42, values: (_u, splits) => splits.map((value) => `${value} %`) }),
    ],
    series: [
      {},
      { label: 'error', stroke: colours.fan, width: 0, points: { show: true, size: 5, fill: colours.fan } },
      { label: 'median', stroke: colours.accent, width: 2, points: { show: false } },
    ],
    hooks: { draw: [(u) => drawNotes(u, annotations, colours)] },
  });
}

function drawNotes(u: uPlot, annotations: History['annotations'], colours: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colours.warn;
  ctx.fillStyle = colours.warn;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.setLineDash([4, 4]);
  for (const { timestamp, label } of annotations) {
    const x = Math.max(left, u.valToPos(Date.parse(timestamp) / 1_000, 'x', true));
    if (x > left + width) continue;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.fillText(label, x + 5 * ratio, top + 4 * ratio);
  }
  ctx.restore();
}

/** The error of every settled event, its running median, and when the model changed. */
export function ErrorChart({ history, horizon }: { readonly history: History; readonly horizon: number }) {
  const samples = history.data.filter(({ error_pct }) => error_pct !== null);
  const errors = samples.map(({ error_pct }) => error_pct);
  const medians = errors.map((_error, place) =>
    median(errors.slice(Math.max(0, place - RUN + 1), place + 1).filter((error) => error !== null)),
  );
  // One event gone wrong would press all others to the ground.
  const usual = errors.filter((error) => error !== null).toSorted((a, b) => a - b)[
    Math.floor(errors.length * USUAL)
  ];
  const most = Math.max(10, Math.ceil(((usual ?? 0) * 1.25) / 5) * 5);
  const beyond = errors.filter((error) => error !== null && error > most).length;
  const times = samples.map(({ timestamp }) => Date.parse(timestamp) / 1_000);
  return (
    <>
      <Chart
        label={`Error ${horizon} h before the close of ${samples.length} settled events; the last median is ${medians.at(-1)?.toFixed(1) ?? 'unknown'} percent`}
        height={HEIGHT}
        data={[times, errors, medians]}
        shape={JSON.stringify([horizon, most, history.annotations])}
        options={optionsOf(history.annotations, most)}
      />
      <p class="foot">{`each event a point, the line their running median${beyond === 0 ? '' : `; ${beyond} above the chart`}`}</p>
    </>
  );
}
