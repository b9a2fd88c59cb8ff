import { useMemo } from 'preact/hooks';
import type { Answer } from '../../client/browser.ts';
import { dayText, percentText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import { axis, Chart, type ChartOptions, timeAxis } from './chart.tsx';
import type { Colours } from './colours.ts';
import { historyColumns } from './history-points.ts';
import type { Span } from './zoom.ts';

type History = Answer<'HistoryAnswer'>;

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
    scales: {
      y: { range: (_u, _least, most) => [0, Math.max(10, (most ?? 0) * 1.08)] },
    },
    axes: [
      timeAxis(colours, 26),
      axis(colours, { size: 46, values: (_u, splits) => splits.map((value) => `${value} %`) }),
    ],
    series: [
      {},
      { label: 'market', stroke: colours.market, width: 1.5, ...line },
      { label: 'model', stroke: colours.fan, width: 2, ...line },
      { label: 'bid', ...edge },
      { label: 'ask', ...edge },
    ],
    bands: [{ series: [4, 3], fill: colours.band }],
  };
}

function spanOf(times: readonly number[]): Span {
  const last = times.at(-1) ?? 0;
  return [Math.min(times[0] ?? 0, last - LEAST_SECONDS), last];
}

/** Nothing is said where there are no records. */
function historyTip(points: History['data'], at: number | undefined): string | undefined {
  const point = points.find(({ ts }) => ts / 1_000 === at);
  const [market] = point?.markets ?? [];
  if (point === undefined || market === undefined) return undefined;
  const model = market.model_prob === undefined ? '' : `, model ${percentText(market.model_prob)}`;
  return `${dayText(point.ts)}: market ${percentText(market.market_price)}${model}`;
}

/** Model against market of one bucket, with the spread of the market. */
export const HistoryChart = memo(
  ({ history, bucket }: { readonly history: History; readonly bucket: string }) => {
    const columns = useMemo(() => historyColumns(history.data, history.step), [history]);
    const [last] = history.data.at(-1)?.markets ?? [];
    const model = last?.model_prob === undefined ? '' : `, model ${percentText(last.model_prob)}`;
    return (
      <Chart
        label={`Bucket ${bucket} over time; at the end market ${percentText(last?.market_price)}${model}`}
        height={HISTORY_HEIGHT}
        data={columns}
        options={options}
        span={spanOf(columns[0])}
        tip={(index) => historyTip(history.data, columns[0][index])}
      />
    );
  },
);
