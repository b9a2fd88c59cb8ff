import { useMemo, useState } from 'preact/hooks';
import type { Client, FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { CalibrationChart } from '../charts/calibration-chart.tsx';
import { ErrorChart } from '../charts/error-chart.tsx';
import { LagHistogram } from '../charts/lag-histogram.tsx';
import { accountText, countText, percentText } from '../format.ts';
import type { PostTime } from '../state/records.ts';
import { type Asked, useAnswer } from './hooks.ts';
import { later } from './later.tsx';
import { Empty, Loading, Panel } from './panel.tsx';
import { ScoresTable } from './scores-table.tsx';
import { Sources } from './sources.tsx';

/** Settled events are scored once each. */
const AGAIN_MS = 60_000;
const HORIZONS = [24, 48, 72] as const;

function unless<T>(asked: Asked<T>, what: string, show: (value: T) => preact.ComponentChild) {
  if (asked.state === 'loading') return <Loading what={what} />;
  if (asked.state === 'failed')
    return <Empty title="Not answered">{`${asked.why}. It is asked again.`}</Empty>;
  return show(asked.value);
}

interface TrustProps {
  readonly client: Client;
  readonly status: FeedStatus;
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly account: string;
  readonly times: readonly PostTime[];
  readonly now: number;
}

/** How far it can be believed. */
export const Trust = later(5, ({ client, status, heartbeat, account, times, now }: TrustProps) => {
  const [horizon, setHorizon] = useState<(typeof HORIZONS)[number]>(24);
  const calibration = useAnswer((signal) => client.performance.calibration({ signal }), [client], AGAIN_MS);
  const history = useAnswer(
    (signal) => client.performance.history({ horizon, days: 90 }, { signal }),
    [client, horizon],
    AGAIN_MS,
  );
  const groups = calibration.state === 'done' ? calibration.value.data : [];
  const own = groups.filter((group) => group.account === account && group.horizon === horizon);
  // Forecasts that were published at the time say more than those made later, once there are any.
  const group = own.find(({ origin, n }) => origin === 'live' && n > 0) ?? own.find(({ n }) => n > 0);
  const ownHistory = useMemo(
    () =>
      history.state === 'done'
        ? { ...history.value, data: history.value.data.filter((sample) => sample.account === account) }
        : undefined,
    [history, account],
  );
  return (
    <section id="trust" class="wide" aria-labelledby="trust-title">
      <h2 id="trust-title">
        Trust <span>{`${accountText(account)}, how forecasts turned out`}</span>
      </h2>
      <fieldset class="horizons">
        <legend>Hours before the close</legend>
        {HORIZONS.map((each) => (
          <label key={each} class={each === horizon ? 'chosen' : ''}>
            <input type="radio" name="horizon" checked={each === horizon} onChange={() => setHorizon(each)} />
            {each} h
          </label>
        ))}
      </fieldset>
      <div class="trio">
        <Panel title="Calibration" note={group ? `n ${countText(group.n)}, 95 % band` : ''}>
          {unless(calibration, 'calibration', () =>
            group ? (
              <>
                <CalibrationChart bins={group.reliability} />
                <p class="foot">
                  {`given % across, won % up; ${percentText(group.coverage90)} of outcomes inside p5 to p95; ${group.origin === 'live' ? 'published forecasts' : 'made later from what was known then'}`}
                </p>
              </>
            ) : (
              <Empty title="Nothing settled yet">Curves appear once events have settled.</Empty>
            ),
          )}
        </Panel>
        <Panel title="Error over time" note={`${horizon} h before the close, % of the final count`}>
          {unless(history, 'errors', () =>
            ownHistory === undefined || ownHistory.data.length === 0 ? (
              <Empty title="Nothing settled yet">Errors appear with settled events.</Empty>
            ) : (
              <ErrorChart history={ownHistory} horizon={horizon} />
            ),
          )}
          {group ? <ScoresTable group={group} /> : null}
          {group && group.n_market === 0 ? (
            <p class="foot">No settled forecast had market prices beside it yet.</p>
          ) : null}
        </Panel>
        <div class="stack">
          <Panel title="Sources" note="since they last answered">
            <Sources heartbeat={heartbeat} status={status} now={now} />
          </Panel>
          <Panel title="Lag of the last hour" note="from a post until it was seen">
            <LagHistogram times={times} now={now} />
          </Panel>
        </div>
      </div>
    </section>
  );
});
