import { useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Answer } from '../../client/browser.ts';
import { dayText, fixedText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import { axis, Chart, type ChartOptions, timeAxis } from './chart.tsx';
import { drawPeriods, type Mark } from './chart-marks.ts';
import type { Colours } from './colours.ts';
import { errorPoints } from './error-points.ts';

type History = Answer<'PerformanceHistory'>;

const HEIGHT = 240;

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
      { label: 'live', stroke: colours.fan, width: 0, points: { show: true, size: 6, fill: colours.fan } },
      // Hollow, as nobody saw these forecasts before the outcome.
      {
        label: 'back-filled',
        stroke: colours.fan,
        width: 0,
        points: { show: true, size: 5, fill: 'transparent' },
      },
      { label: 'median', stroke: colours.accent, width: 2, points: { show: false } },
    ],
    hooks: { draw: [(u) => drawPeriods(u, versionsOf(drawn().history), colours)] },
  });
}

/** The versions of the model, from when each was in use. */
function versionsOf({ annotations }: History): readonly Mark[] {
  return annotations.map(({ timestamp, label }) => ({ at: Date.parse(timestamp) / 1_000, name: label }));
}

function errorTip([times, live, backfilled, medians]: uPlot.AlignedData, index: number): string | undefined {
  const at = times[index];
  if (at === undefined) return undefined;
  const error = live?.[index] ?? backfilled?.[index];
  return `${dayText(at * 1_000)}: off by ${fixedText(error, 1)} %, median ${fixedText(medians?.[index], 1)} %`;
}

/** The error of every settled event, its running median, and when the model changed. */
export const ErrorChart = memo(
  ({ history, horizon }: { readonly history: History; readonly horizon: number }) => {
    const { columns, nLive, nBackfilled, most, beyond } = useMemo(() => errorPoints(history.data), [history]);
    const drawn = useRef({ history, most });
    drawn.current = { history, most };
    const last = columns[3].at(-1)?.toFixed(1) ?? 'unknown';
    const samples = `${nLive} live and ${nBackfilled} back-filled`;
    return (
      <>
        <Chart
          label={`Error ${horizon} h before the close of settled events, ${samples}; the last median is ${last} percent`}
          height={HEIGHT}
          data={columns}
          options={optionsOf(() => drawn.current)}
          span={[columns[0][0] ?? 0, (columns[0].at(-1) ?? 0) + 1]}
          tip={(index) => errorTip(columns, index)}
        />
        <p class="foot">
          {`each event a point, hollow where back-filled: ${samples}; the line the running median of both${beyond === 0 ? '' : `; ${beyond} above the chart`}`}
        </p>
      </>
    );
  },
);
