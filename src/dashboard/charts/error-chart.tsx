import { useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Answer } from '../../client/browser.ts';
import { median } from '../median.ts';
import { memo } from '../parts/memo.tsx';
import { axis, Chart, type ChartOptions, type Colours, timeAxis } from './chart.tsx';

type History = Answer<'PerformanceHistory'>;

const HEIGHT = 240;
/** Settled events behind each point of the line. */
const RUN = 9;
/** Share of the errors that the chart always shows. */
const USUAL = 0.95;

function optionsOf(
  drawn: () => { readonly history: History; readonly most: number },
): (colours: Colours) => ChartOptions {
  return (colours) => ({
    legend: { show: false },
    padding: [14, 10, 0, 0],
    scales: { y: { range: () => [0, drawn().most] } },
    axes: [
      timeAxis(colours, 26),
      axis(colours, { size: 42, values: (_u, splits) => splits.map((value) => `${value} %`) }),
    ],
    series: [
      {},
      { label: 'error', stroke: colours.fan, width: 0, points: { show: true, size: 5, fill: colours.fan } },
      { label: 'median', stroke: colours.accent, width: 2, points: { show: false } },
    ],
    hooks: { draw: [(u) => drawAnnotations(u, drawn().history.annotations, colours)] },
  });
}

function drawAnnotations(u: uPlot, annotations: History['annotations'], colours: Colours): void {
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

interface Errors {
  /** Seconds, errors and their running medians. */
  readonly columns: [number[], (number | null)[], (number | null)[]];
  /** Upper end of the chart, % of the final count. */
  readonly most: number;
  readonly beyond: number;
}

function errorsOf(history: History): Errors {
  const samples = history.data.flatMap(({ timestamp, error_pct }) =>
    error_pct === null ? [] : [{ at: Date.parse(timestamp) / 1_000, error: error_pct }],
  );
  const errors = samples.map(({ error }) => error);
  const medians = errors.map((_error, place) =>
    median(errors.slice(Math.max(0, place - RUN + 1), place + 1)),
  );
  // One very large error would make all others look like zero.
  const usual = errors.toSorted((a, b) => a - b)[Math.floor(errors.length * USUAL)] ?? 0;
  const most = Math.max(10, Math.ceil((usual * 1.25) / 5) * 5);
  return {
    columns: [samples.map(({ at }) => at), errors, medians],
    most,
    beyond: errors.filter((error) => error > most).length,
  };
}

/** The error of every settled event, its running median, and when the model changed. */
export const ErrorChart = memo(
  ({ history, horizon }: { readonly history: History; readonly horizon: number }) => {
    const { columns, most, beyond } = useMemo(() => errorsOf(history), [history]);
    const drawn = useRef({ history, most });
    drawn.current = { history, most };
    const last = columns[2].at(-1)?.toFixed(1) ?? 'unknown';
    return (
      <>
        <Chart
          label={`Error ${horizon} h before the close of ${columns[1].length} settled events; the last median is ${last} percent`}
          height={HEIGHT}
          data={columns}
          options={optionsOf(() => drawn.current)}
        />
        <p class="foot">{`each event a point, the line their running median${beyond === 0 ? '' : `; ${beyond} above the chart`}`}</p>
      </>
    );
  },
);
