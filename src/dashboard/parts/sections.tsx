import { type Horizon, horizonAt, type Place } from '../state/place.ts';
import type { State } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import type { ShownEvent } from '../state/shown-event.ts';
import { Answers } from './answers.tsx';
import { Forecast } from './forecast.tsx';
import { Now } from './now.tsx';
import { OverTime } from './over-time.tsx';
import { Trade } from './trade.tsx';
import { Trust, trackOf, useCalibration } from './trust.tsx';
import { useSectionInAddress } from './use-place.ts';

/** Everything about the shown event. */
export function Sections(props: {
  readonly state: State;
  readonly status: State['status'];
  readonly session: Session;
  readonly shown: ShownEvent;
  readonly shownAccounts: readonly string[];
  /** Whether positions of the shown account are sized for a bankroll. */
  readonly isSized: boolean;
  readonly horizon: Horizon;
  readonly onHorizon: (horizon: Horizon) => void;
  readonly onKey: (key: string) => void;
  readonly settle: (part: Partial<Place>) => void;
  readonly now: number;
}) {
  const { state, status, session, horizon, now } = props;
  const { account, eventId, records, event } = props.shown;
  const { heartbeat } = state;
  const isPaid = state.key === 'accepted';
  const prediction = records.predictions?.find(({ event_id }) => event_id === eventId);
  const signals = records.signals?.find(({ event_id }) => event_id === eventId);
  const calibration = useCalibration(session.keylessClient, account);
  useSectionInAddress(props.settle);
  return (
    <>
      <Answers
        account={account}
        event={event}
        prediction={prediction}
        signals={signals}
        areSignalsLoaded={records.signals !== undefined}
        track={trackOf(calibration, account, horizonAt(event.end_ts - now))}
        isTrackLoaded={calibration.state === 'done'}
        status={status}
        heartbeat={heartbeat}
        isPaid={isPaid}
        onKey={props.onKey}
        now={now}
      />
      <div class="columns">
        <Now
          account={account}
          event={event}
          status={status}
          heartbeat={heartbeat}
          lag={records.lag}
          velocity={records.velocity}
          sleepProbability={prediction?.sleep_probability}
          posts={records.posts}
          times={records.times}
          isPaid={isPaid}
          now={now}
        />
        <Forecast
          key={eventId}
          prediction={prediction}
          times={records.times}
          update={records.forecastUpdates.get(eventId)}
          isPaid={isPaid}
          now={now}
        />
      </div>
      <OverTime
        client={isPaid ? session.client : session.keylessClient}
        account={account}
        prediction={prediction}
        isPaid={isPaid}
      />
      <Trade
        session={session}
        account={account}
        isSized={props.isSized}
        signals={signals}
        areSignalsLoaded={records.signals !== undefined}
        isPaid={isPaid}
      />
      <Trust
        client={session.keylessClient}
        status={status}
        heartbeat={heartbeat}
        account={account}
        calibration={calibration}
        shownAccounts={props.shownAccounts}
        times={records.times}
        horizon={horizon}
        onHorizon={props.onHorizon}
        now={now}
      />
    </>
  );
}
