import { useMemo } from 'preact/hooks';
import type { Answer } from '../../client/browser.ts';
import { percentText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import { axis, Chart, type ChartOptions, type Colours, timeAxis } from './chart.tsx';
import { historyColumns } from './history-points.ts';

const HISTORY_HEIGHT = 260;
/** A chart of less than this would be one of seconds, or of nothing that has a width. */
const LEAST_SECONDS = 600;

function options(colours: Colours): ChartOptions {
  // Points are drawn where there is room for each, so that the first of all can be seen.
  const line = { points: { size: 4 }, spanGaps: false };
  const edge = { stroke: 'transparent', points: { show: false }, spanGaps: false };
  return {
    legend: { show: false },
    padding: [14, 10, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: true, range: (_u, least, most) => [Math.min(least, most - LEAST_SECONDS), most] },
      y: { range: (_u, _least, most) => [0, Math.max(10, (most ?? 0) * 1.08)] },
    },
    axes: [
      timeAxis(colours, 26),
      axis(colours, { size: 46, values: (_u, splits) => splits.map((value) => `${value} %`) }),
    ],
    series: [
      {},
      { label: 'market', stroke: colours.text, width: 1.5, ...line },
      { label: 'model', stroke: colours.accent, width: 2, ...line },
      { label: 'bid', ...edge },
      { label: 'ask', ...edge },
    ],
    bands: [{ series: [4, 3], fill: colours.band }],
  };
}

/** Model against market of one bucket, with the spread of the market. */
export const HistoryChart = memo(
  ({ history, bucket }: { readonly history: Answer<'HistoryAnswer'>; readonly bucket: string }) => {
    const columns = useMemo(() => historyColumns(history.data, history.step), [history]);
    const [last] = history.data.at(-1)?.markets ?? [];
    const model = last?.model_prob === undefined ? '' : `, model ${percentText(last.model_prob)}`;
    return (
      <Chart
        label={`Bucket ${bucket} over time; at the end market ${percentText(last?.market_price)}${model}`}
        height={HISTORY_HEIGHT}
        data={columns}
        options={options}
      />
    );
  },
);
