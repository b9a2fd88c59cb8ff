import { useMemo } from 'preact/hooks';
import { BucketBars } from '../charts/bucket-bars.tsx';
import { Distribution } from '../charts/distribution.tsx';
import { type CountRange, FanChart } from '../charts/fan-chart.tsx';
import { countText, sentence, unknownCountText } from '../format.ts';
import { countSoFar, drawTime } from '../state/posts.ts';
import type { ForecastUpdate, PostTime, Prediction } from '../state/records.ts';
import { deferred } from './deferred.tsx';
import { ForecastChanges } from './forecast-changes.tsx';
import { memo } from './memo.tsx';
import { Empty, Loading, Panel } from './panel.tsx';
import { Explained } from './term.tsx';

/** The time axis spans days, so it need not move each second. */
const REDRAW_MS = 10_000;

function rangeOf(prediction: Prediction, first: number, p95: number): CountRange {
  const step = Math.max(5, Math.round(p95 / 40));
  const far = prediction.distribution?.findLast(({ count }) => count <= p95 * 1.08)?.count ?? p95;
  const least = Math.max(0, Math.floor((first - step) / step) * step);
  return { least, most: Math.ceil((Math.max(far, p95) + step) / step) * step };
}

interface FanProps {
  readonly prediction: Prediction;
  readonly fan: NonNullable<Prediction['forecast']>;
  readonly count: number;
  readonly times: readonly PostTime[];
  readonly drawnAt: number;
}

const Fan = memo(({ prediction, fan, count, times, drawnAt }: FanProps) => {
  const { start_ts: startAt, end_ts: endAt } = prediction;
  const past = useMemo(
    () => countSoFar(times, { startAt, endAt, now: drawnAt }, count),
    [times, startAt, endAt, drawnAt, count],
  );
  const range = rangeOf(prediction, past.at(0)?.count ?? 0, fan.p95);
  return (
    <>
      <div class="fan">
        <FanChart prediction={prediction} fan={fan} past={past} range={range} now={drawnAt} />
        {prediction.distribution ? (
          <Distribution distribution={prediction.distribution} range={range} median={fan.p50} />
        ) : null}
      </div>
      <dl class="ends num">
        {(['p5', 'p50', 'p95'] as const).map((level) => (
          <div key={level} class={level}>
            <dt>
              <Explained word={level} />
            </dt>
            <dd data-level={level}>{countText(fan[level])}</dd>
          </div>
        ))}
        <div class="to-go">
          <dt>to go</dt>
          <dd>{countText(Math.max(0, Math.round(fan.p50 - count)))}</dd>
        </div>
      </dl>
      <p class="foot axis-note">
        {range.least === 0
          ? 'The axis begins at 0.'
          : `The axis begins at ${countText(range.least)}, not at 0.`}
      </p>
    </>
  );
});

interface ForecastProps {
  readonly prediction: Prediction | undefined;
  readonly times: readonly PostTime[];
  readonly update: ForecastUpdate | undefined;
  readonly isPaid: boolean;
  readonly now: number;
}

/** The section Forecast: the final count and the buckets. */
export const Forecast = deferred(1, ({ prediction, times, update, isPaid, now }: ForecastProps) => (
  <section id="forecast" class="column" aria-labelledby="forecast-title">
    <h2 id="forecast-title">
      Forecast <span>of the count that settles</span>
    </h2>
    <Panel
      title="To the close"
      note="dashed lines are bucket edges; the end is the forecast, the way there is drawn"
      className={isPaid ? 'to-close' : ''}
    >
      <ToTheClose prediction={prediction} times={times} isPaid={isPaid} now={now} />
    </Panel>
    <Panel title="Buckets" term="Bucket" note="model probability against market price" className="grow">
      {prediction === undefined ? <Loading what="prices" /> : <BucketBars prediction={prediction} />}
      {prediction?.forecast ? <ForecastChanges prediction={prediction} update={update} now={now} /> : null}
    </Panel>
  </section>
));

function ToTheClose({ prediction, times, isPaid, now }: Omit<ForecastProps, 'update'>) {
  if (prediction === undefined) return <Loading what="forecasts" />;
  const { forecast, real_counter, history_percent } = prediction;
  if (forecast && real_counter !== null) {
    const drawnAt = drawTime(times, now, REDRAW_MS);
    return (
      <Fan prediction={prediction} fan={forecast} count={real_counter} times={times} drawnAt={drawnAt} />
    );
  }
  if (isPaid && real_counter === null)
    return <Empty title="Count not known">{`${sentence(unknownCountText(history_percent))}.`}</Empty>;
  if (isPaid) return <Empty title="No forecast yet">The first one is made within seconds.</Empty>;
  return (
    <Empty title="Forecasts need a PRO key">
      Type one in at the top; it stays in this tab. Market prices below are for everyone.
    </Empty>
  );
}
