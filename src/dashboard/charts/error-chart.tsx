import type uPlot from 'uplot';
import type { Answer } from '../../client/browser.ts';
import { axis, Chart, type ChartOptions, type Colours } from './chart.tsx';

type History = Answer<'PerformanceHistory'>;

const HEIGHT = 240;
/** Settled events behind each point of the line. */
const RUN = 9;

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function optionsOf(annotations: History['annotations']): (colours: Colours) => ChartOptions {
  return (colours) => ({
    legend: { show: false },
    padding: [14, 10, 0, 0],
    scales: { y: { range: (_u, _least, most) => [0, Math.max(10, most * 1.08)] } },
    axes: [
      axis(colours, { size: 26, grid: { show: false } }),
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
  const times = samples.map(({ timestamp }) => Date.parse(timestamp) / 1_000);
  return (
    <Chart
      label={`Error ${horizon} h before the close of ${samples.length} settled events; the last median is ${medians.at(-1)?.toFixed(1) ?? 'unknown'} percent`}
      height={HEIGHT}
      data={[times, errors, medians]}
      shape={JSON.stringify([horizon, history.annotations])}
      options={optionsOf(history.annotations)}
    />
  );
}
