import type { Answer, Client, FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { CalibrationChart } from '../charts/calibration-chart.tsx';
import { ErrorChart } from '../charts/error-chart.tsx';
import { LagHistogram } from '../charts/lag-histogram.tsx';
import { countText, percentText } from '../format.ts';
import { basisText, originText, proofText } from '../record-text.ts';
import { HORIZONS, type Horizon } from '../state/place.ts';
import type { PostTime } from '../state/records.ts';
import { MINUTE_MS } from '../time-spans.ts';
import { useAccountName } from './account-names.ts';
import { deferred } from './deferred.tsx';
import { ErrorTable } from './error-table.tsx';
import { type Loadable, useAnswer } from './hooks.ts';
import { Empty, Loaded, Panel } from './panel.tsx';
import { ScoresTable } from './scores-table.tsx';
import { Sources } from './sources.tsx';
import { Term } from './term.tsx';

const REFRESH_MS = MINUTE_MS;

/** How past forecasts of an account turned out. */
export function useCalibration(client: Client, account: string): Loadable<Answer<'Calibration'>> {
  return useAnswer(
    (signal) => client.performance.calibration({ account, signal }),
    [client, account],
    REFRESH_MS,
  );
}

/** The record of forecasts at one horizon; undefined while it is not known. */
export function trackOf(
  calibration: Loadable<Answer<'Calibration'>>,
  account: string,
  horizon: Horizon,
): Answer<'Calibration'>['track_records'][number] | undefined {
  if (calibration.state !== 'done') return undefined;
  return calibration.value.track_records.find(
    (record) => record.account === account && record.horizon === horizon,
  );
}

interface TrustProps {
  readonly client: Client;
  readonly status: FeedStatus;
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly account: string;
  readonly calibration: Loadable<Answer<'Calibration'>>;
  /** All accounts that are shown. */
  readonly shownAccounts: readonly string[];
  readonly times: readonly PostTime[];
  readonly horizon: Horizon;
  readonly onHorizon: (horizon: Horizon) => void;
  readonly now: number;
}

/** The section Trust: how past forecasts turned out, and how fresh the sources are. */
export const Trust = deferred(5, (props: TrustProps) => {
  const { client, status, heartbeat, account, calibration, times, horizon, now } = props;
  const nameOf = useAccountName();
  const history = useAnswer(
    (signal) => client.performance.history({ horizon, days: 90, account }, { signal }),
    [client, horizon, account],
    REFRESH_MS,
  );
  const overview = useAnswer((signal) => client.performance.overview({ signal }), [client], REFRESH_MS);
  const groups = calibration.state === 'done' ? calibration.value.data : [];
  // Right after another account was chosen the answer is still that of the one before.
  const track = trackOf(calibration, account, horizon);
  const own = groups.filter((group) => group.account === account && group.horizon === horizon);
  // Forecasts that were published at the time are preferred to those made later.
  const group = own.find(({ origin, n }) => origin === 'live' && n > 0) ?? own.find(({ n }) => n > 0);
  return (
    <section id="trust" class="wide" aria-labelledby="trust-title">
      <h2 id="trust-title">
        Trust <span>{`${nameOf(account)}, how forecasts turned out`}</span>
      </h2>
      <fieldset class="horizons">
        <legend>Hours before the close</legend>
        {HORIZONS.map((each) => (
          <label key={each} class={each === horizon ? 'chosen' : ''}>
            <input
              type="radio"
              name="horizon"
              checked={each === horizon}
              onChange={() => props.onHorizon(each)}
            />
            {each} h
          </label>
        ))}
      </fieldset>
      {track ? (
        <p class="proof">
          <span class={`tag ${track.proven ? 'good' : 'warn'}`}>{proofText(track)}</span> {basisText(track)}{' '}
          <Term word="Back-filled" />
        </p>
      ) : null}
      <div class="trio">
        <Panel
          title="Calibration"
          term="Calibration"
          note={group ? `n ${countText(group.n)} ${originText(group.origin)}, whiskers 95 %` : ''}
        >
          <Loaded answer={calibration} what="calibration">
            {() =>
              group ? (
                <Calibration group={group} />
              ) : (
                <Empty title="Nothing settled yet">Curves appear once events have settled.</Empty>
              )
            }
          </Loaded>
        </Panel>
        <Panel
          title="Error over time"
          term="Error over time"
          note={`${horizon} h before the close, % of the final count`}
        >
          <Loaded answer={history} what="errors">
            {(value) =>
              value.data.length === 0 ? (
                <Empty title="Nothing settled yet">Errors appear with settled events.</Empty>
              ) : (
                <ErrorChart history={value} horizon={horizon} />
              )
            }
          </Loaded>
          {group ? <ScoresTable group={group} /> : null}
          {overview.state === 'done' ? <ErrorTable comparable={overview.value.comparable} /> : null}
        </Panel>
        <div class="stack">
          <Panel title="Sources" term="Sources" note="since they last answered">
            <Sources heartbeat={heartbeat} accounts={props.shownAccounts} status={status} now={now} />
          </Panel>
          <Panel title="Lag of the last hour" term="Lag" note="from a post until it was seen">
            <LagHistogram times={times} now={now} />
          </Panel>
        </div>
      </div>
    </section>
  );
});

function Calibration({ group }: { readonly group: Answer<'Calibration'>['data'][number] }) {
  const origin =
    group.origin === 'live' ? 'published at the time' : 'back-filled later from what was known then';
  return (
    <>
      <CalibrationChart bins={group.reliability} />
      <p class="foot">
        {`given % across, won % up, beside each dot its number of buckets; ${percentText(group.coverage90)} of outcomes inside p5 to p95; ${origin}`}
      </p>
    </>
  );
}
