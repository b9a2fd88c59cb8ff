import { useState } from 'preact/hooks';
import type { Client } from '../../client/browser.ts';
import { HistoryChart } from '../charts/history-chart.tsx';
import { stepFor } from '../charts/history-points.ts';
import { countText, percentText, usdText } from '../format.ts';
import { likeliest } from '../state/likeliest.ts';
import type { Prediction } from '../state/records.ts';
import { MINUTE_MS } from '../time-spans.ts';
import { deferred } from './deferred.tsx';
import { useAnswer } from './hooks.ts';
import { Empty, Loaded, Loading, Panel } from './panel.tsx';
import { Term } from './term.tsx';

/** Without a key there are a hundred calls an hour for all that the address asks. */
const REFRESH_MS = MINUTE_MS;
const KEYLESS_REFRESH_MS = 10 * MINUTE_MS;

interface OverTimeProps {
  readonly client: Client;
  readonly account: string;
  readonly prediction: Prediction | undefined;
  readonly isPaid: boolean;
}

/** The section Over time: model against market of one bucket since the window opened. */
export const OverTime = deferred(2, ({ client, account, prediction, isPaid }: OverTimeProps) => (
  <section id="over-time" class="wide" aria-labelledby="over-time-title">
    <h2 id="over-time-title">
      Over time <span>{isPaid ? 'model against market, by the minute' : 'market prices, by the minute'}</span>
    </h2>
    {prediction === undefined ? (
      <Panel title="Bucket">
        <Loading what="prices" />
      </Panel>
    ) : (
      <ChosenBucket key={prediction.event_id} {...{ client, account, prediction, isPaid }} />
    )}
  </section>
));

function ChosenBucket(props: Omit<OverTimeProps, 'prediction'> & { readonly prediction: Prediction }) {
  const { client, account, prediction, isPaid } = props;
  // It stays the one of the beginning, so that a chart does not change by itself.
  const [bucket, setBucket] = useState(
    () => likeliest(prediction.markets, ({ market_price }) => market_price ?? 0)?.title ?? '',
  );
  const { event_id: eventId, start_ts: startAt, as_of } = prediction;
  const answer = useAnswer(
    async (signal) => {
      const ask = (step: number) => client.history(account, eventId, { bucket, step }, { signal });
      const stepSince = (at: number) => stepFor(Math.max(MINUTE_MS, as_of.ts - at));
      const whole = await ask(stepSince(startAt));
      // A service that began after the window did knows less of it, and that in smaller steps.
      const step = stepSince(whole.data[0]?.ts ?? startAt);
      return step === whole.step ? whole : ask(step);
    },
    [client, account, eventId, bucket, isPaid],
    isPaid ? REFRESH_MS : KEYLESS_REFRESH_MS,
  );
  const last = answer.state === 'done' ? answer.value.data.at(-1)?.markets[0] : undefined;
  return (
    <Panel
      title="Bucket"
      className="over-time"
      note={
        <>
          {isPaid ? <span class="key model">model</span> : null} <span class="key price">market</span> the
          band is bid to ask
        </>
      }
    >
      <label class="bucket-choice">
        Bucket{' '}
        <select value={bucket} onChange={(event) => setBucket(event.currentTarget.value)}>
          {prediction.markets.map(({ title, token_id }) => (
            <option key={token_id} value={title}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Loaded answer={answer} what="the past">
        {(history) =>
          history.data.length === 0 ? (
            <Empty title="No prices yet">The first ones appear within a minute.</Empty>
          ) : (
            <HistoryChart history={history} bucket={bucket} />
          )
        }
      </Loaded>
      <p class="foot num">
        {`bid ${percentText(last?.best_bid)} for ${countText(last?.bid_size)} shares, ask ${percentText(last?.best_ask)} for ${countText(last?.ask_size)}; traded ${usdText(last?.volume)} `}
        <Term word="Bid and ask" />
      </p>
    </Panel>
  );
}
