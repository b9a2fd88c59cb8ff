import { BucketBars } from '../charts/bucket-bars.tsx';
import { Distribution } from '../charts/distribution.tsx';
import { type CountRange, FanChart } from '../charts/fan-chart.tsx';
import { countText } from '../format.ts';
import { countSoFar } from '../state/posts.ts';
import type { AccountState, Prediction, State } from '../state/records.ts';
import { Moves } from './moves.tsx';
import { Empty, Loading, Panel } from './panel.tsx';

function rangeOf(prediction: Prediction, first: number, p95: number): CountRange {
  const step = Math.max(5, Math.round(p95 / 40));
  const far = prediction.distribution?.findLast(({ count }) => count <= p95 * 1.08)?.count ?? p95;
  const least = Math.max(0, Math.floor((first - step) / step) * step);
  return { least, most: Math.ceil((Math.max(far, p95) + step) / step) * step };
}

function Fan(props: {
  readonly prediction: Prediction;
  readonly fan: NonNullable<Prediction['forecast']>;
  readonly known: AccountState;
  readonly now: number;
}) {
  const { prediction, fan, known, now } = props;
  const { start_ts: startAt, end_ts: endAt, real_counter } = prediction;
  if (real_counter === null) {
    return <Empty title="Count not known">The posts of this window are not known without a hole yet.</Empty>;
  }
  const past = countSoFar(known.posts ?? [], { startAt, endAt, now }, real_counter);
  const range = rangeOf(prediction, past.at(0)?.count ?? 0, fan.p95);
  return (
    <>
      <div class="fan">
        <FanChart prediction={prediction} fan={fan} past={past} range={range} now={now} />
        {prediction.distribution ? (
          <Distribution distribution={prediction.distribution} range={range} median={fan.p50} />
        ) : null}
      </div>
      <dl class="ends num">
        {(['p5', 'p50', 'p95'] as const).map((level) => (
          <div key={level} class={level}>
            <dt>{level}</dt>
            <dd data-level={level}>{countText(fan[level])}</dd>
          </div>
        ))}
        <div class="to-go">
          <dt>to go</dt>
          <dd>{countText(Math.max(0, Math.round(fan.p50 - real_counter)))}</dd>
        </div>
      </dl>
    </>
  );
}

/** Where it may end. */
export function Forecast(props: {
  readonly state: State;
  readonly known: AccountState;
  readonly prediction: Prediction | undefined;
  readonly now: number;
}) {
  const { prediction, known, now, state } = props;
  return (
    <section id="forecast" class="column" aria-labelledby="forecast-title">
      <h2 id="forecast-title">
        Forecast <span>of the final count</span>
      </h2>
      <Panel
        title="To the close"
        note="dashed lines are bucket edges; the end is the forecast, the way there is drawn"
      >
        {prediction === undefined ? <Loading what="forecasts" /> : null}
        {prediction && !prediction.forecast ? <Locked state={state} /> : null}
        {prediction?.forecast ? (
          <Fan prediction={prediction} fan={prediction.forecast} known={known} now={now} />
        ) : null}
      </Panel>
      <Panel title="Buckets" note="model probability against market price" className="grow">
        {prediction === undefined ? <Loading what="prices" /> : <BucketBars prediction={prediction} />}
        {prediction?.forecast ? (
          <Moves prediction={prediction} stir={known.stirs.get(prediction.event_id)} now={now} />
        ) : null}
      </Panel>
    </section>
  );
}

function Locked({ state }: { readonly state: State }) {
  if (state.key === 'accepted') {
    return <Empty title="No forecast yet">The first one is made once enough history was read.</Empty>;
  }
  return (
    <Empty title="Forecasts need a PRO key">
      Type one in at the top; it stays in this tab. Market prices below are for everyone.
    </Empty>
  );
}
