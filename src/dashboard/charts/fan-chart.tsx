import { useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { countText, dayText } from '../format.ts';
import type { CountPoint } from '../state/posts.ts';
import type { Prediction } from '../state/records.ts';
import { axis, Chart, type ChartOptions, timeAxis } from './chart.tsx';
import type { Colours } from './colours.ts';
import { apart, type Fan, type FanColumns, fanColumns } from './fan-points.ts';

export const FAN_HEIGHT = 290;
/** Space above and below the plot, px; the distribution beside it has the same. */
export const FAN_TOP = 10;
export const FAN_BOTTOM = 26;
/** Height of a label. */
const LABEL_PX = 16;

export interface CountRange {
  readonly least: number;
  readonly most: number;
}

/** Values that change while the chart stays; read at each drawing. */
interface View {
  readonly edges: readonly number[];
  readonly range: CountRange;
}

function drawEdges(u: uPlot, edges: readonly number[], colours: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.strokeStyle = colours.muted;
  ctx.globalAlpha = 0.45;
  ctx.setLineDash([2, 5]);
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const edge of edges) {
    const y = Math.round(u.valToPos(edge - 0.5, 'y', true)) + 0.5;
    if (y < top || y > top + height) continue;
    ctx.moveTo(left, y);
    ctx.lineTo(left + width, y);
  }
  ctx.stroke();
  ctx.restore();
}

function optionsOf(view: () => View): (colours: Colours) => ChartOptions {
  return (colours) => ({
    padding: [FAN_TOP, 8, 0, 0],
    legend: { show: false },
    scales: {
      y: { range: () => [view().range.least, view().range.most] },
    },
    axes: [
      timeAxis(colours, FAN_BOTTOM),
      axis(colours, {
        size: 46,
        grid: { show: false },
        splits: () => [...view().edges],
        values: (_u, splits) => splits.map((at) => countText(at)),
      }),
    ],
    series: [
      {},
      {
        label: 'count',
        stroke: colours.accent,
        width: 2.5,
        points: { show: false },
        ...(uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      },
      { label: 'p5', stroke: colours.fan, width: 1, points: { show: false } },
      { label: 'p50', stroke: colours.text, width: 1.5, dash: [5, 4], points: { show: false } },
      { label: 'p95', stroke: colours.fan, width: 1, points: { show: false } },
    ],
    bands: [{ series: [4, 2], fill: colours.band }],
    hooks: { drawAxes: [(u) => drawEdges(u, view().edges, colours)] },
  });
}

/** Time and count before now, and time and range after it. */
function fanTip(columns: FanColumns, index: number): string | undefined {
  const [times, counts, lows, medians, highs] = columns;
  const at = times[index];
  if (at === undefined) return undefined;
  const time = dayText(at * 1_000);
  const count = counts[index];
  if (count !== null && count !== undefined) return `${time}: ${countText(count)} posts`;
  const rounded = (value: number | null | undefined) => countText(value == null ? null : Math.round(value));
  return `${time}: ${rounded(medians[index])}, 90 % within ${rounded(lows[index])} to ${rounded(highs[index])}`;
}

/** The count so far and the forecast of the final count, with the edges of the buckets as lines. */
export function FanChart(props: {
  readonly prediction: Prediction;
  readonly fan: Fan;
  readonly past: readonly CountPoint[];
  readonly range: CountRange;
  readonly now: number;
}) {
  const { prediction, fan, past, range, now } = props;
  const { start_ts, end_ts, markets, real_counter } = prediction;
  const edges = markets.flatMap(({ lo }) => (lo !== null && lo > range.least && lo < range.most ? [lo] : []));
  const view = useRef<View>(undefined);
  view.current = {
    edges: apart(edges, (LABEL_PX * (range.most - range.least)) / (FAN_HEIGHT - FAN_TOP - FAN_BOTTOM)),
    range,
  };
  const { p5, p50, p95 } = fan;
  const data = useMemo(
    () => fanColumns(past, { p5, p50, p95 }, { now, endAt: end_ts }),
    [past, p5, p50, p95, now, end_ts],
  );
  return (
    <Chart
      label={`Count of ${countText(real_counter)} now; at the close ${p5} to ${p95}, median ${p50}`}
      height={FAN_HEIGHT}
      data={data}
      options={optionsOf(() => view.current ?? { edges: [], range })}
      span={[(past.at(0)?.at ?? start_ts) / 1_000, end_ts / 1_000]}
      tip={(index) => fanTip(data, index)}
      marks={[
        { at: now / 1_000, name: 'now' },
        { at: end_ts / 1_000, name: 'close' },
      ]}
    />
  );
}
