import { agoText, countText, percentText, signed } from '../format.ts';
import type { ForecastUpdate, Prediction } from '../state/records.ts';
import { Explained, Term } from './term.tsx';

const CAUSE_TEXTS: Readonly<Record<string, string>> = {
  new_post: 'a new post',
  post_deleted: 'a post deleted',
  oracle: 'the oracle counted',
  ui: 'the trading page moved',
  price: 'prices moved',
  clock: 'time passed',
  sleep_state: 'sleep or waking',
  model: 'the model was fitted anew',
  event_opened: 'the event opened',
  event_closed: 'the event closed',
};

/** There is room for the largest changes only. */
const SHOWN = 3;

/** What changed the forecast last. */
export function ForecastChanges(props: {
  readonly prediction: Prediction;
  readonly update: ForecastUpdate | undefined;
  readonly now: number;
}) {
  const { forecast_ts, flip_risk, model_version, settlement } = props.prediction;
  const moved = props.prediction.moved ?? [];
  const largest = moved.toSorted((a, b) => Math.abs(b.p50) - Math.abs(a.p50)).slice(0, SHOWN);
  return (
    <dl class="forecast-changes">
      <div>
        <dt>
          <Explained word="Forecast moved by" />
        </dt>
        {moved.length === 0 ? <dd>nothing since the one before</dd> : null}
        {largest.map(({ cause, p50 }) => (
          <dd key={cause}>
            <span class={`num ${p50 > 0 ? 'up' : p50 < 0 ? 'down' : ''}`}>{signed(p50)}</span>{' '}
            {CAUSE_TEXTS[cause] ?? cause} <code>{cause}</code>
          </dd>
        ))}
      </div>
      <div>
        <dt>Last update because</dt>
        <dd>
          {props.update === undefined ? 'none since the page was opened' : null}
          {props.update?.causes.map((cause) => CAUSE_TEXTS[cause] ?? cause).join(', ')}
          {props.update === undefined ? null : (
            <span class="num"> {agoText(props.now - props.update.at)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>Made</dt>
        <dd class="num">{forecast_ts == null ? '–' : agoText(props.now - forecast_ts)}</dd>
        <dd>
          <code>{model_version ?? countText(null)}</code>
        </dd>
      </div>
      <div>
        <dt>
          <Explained word="Settled minus our count" />
        </dt>
        <dd class="num">
          {settlement == null
            ? 'not known yet'
            : `${signed(settlement.offset_p5)} to ${signed(settlement.offset_p95)}`}
        </dd>
      </div>
      <div>
        <dt>
          Flip risk at the close <Term word="Flip risk" />
        </dt>
        <dd class="num">
          {flip_risk === null || flip_risk === undefined ? 'not known yet' : percentText(flip_risk)}
        </dd>
      </div>
    </dl>
  );
}
