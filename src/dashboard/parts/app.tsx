import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { AccountState, Counters, State } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import { isDisconnected, staleInputs } from '../state/staleness.ts';
import type { Store } from '../state/store.ts';
import { type EventChoice, EventSwitcher } from './event-switcher.tsx';
import { Forecast } from './forecast.tsx';
import { Header } from './header.tsx';
import { useNow, useStore } from './hooks.ts';
import { Now } from './now.tsx';
import { Empty, Loading } from './panel.tsx';
import { StaleNotice, staleNoticeText } from './stale-notice.tsx';
import { Trade } from './trade.tsx';
import { Trust } from './trust.tsx';

interface AppProps {
  readonly store: Store;
  /** A key that anyone may use; the demo has one. */
  readonly demoKey: string | undefined;
  readonly openSession: (key: string | undefined, onRefused: (detail: string) => void) => Session;
}

/** Name of the key in the storage of the tab, which ends with the tab. */
const KEY = 'key';

function useSession({ store, openSession }: AppProps) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY) ?? undefined);
  const [session, setSession] = useState<Session>();
  // Before the first frame, so that the server answers while that is drawn.
  useLayoutEffect(() => {
    const opened = openSession(key, (detail) => {
      store.change({ keyFault: detail });
      sessionStorage.removeItem(KEY);
      setKey(undefined);
    });
    setSession(opened);
    return () => opened.close();
  }, [key]);
  const onKey = useCallback((typed: string | undefined) => {
    store.change({ keyFault: undefined });
    if (typed === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, typed);
    setKey(typed);
  }, []);
  return { session, onKey };
}

interface ShownEvent extends EventChoice {
  readonly records: AccountState;
  readonly event: Counters;
}

/** The chosen event while it is active, else the first active event. */
function shownEvent({ accounts }: State, chosen: EventChoice | undefined): ShownEvent | undefined {
  const all = [...accounts].flatMap(([account, records]) =>
    (records.counters ?? []).map((event) => ({ account, eventId: event.event_id, records, event })),
  );
  return (
    all.find(({ account, eventId }) => account === chosen?.account && eventId === chosen.eventId) ?? all[0]
  );
}

/** The whole page. */
export function App(props: AppProps) {
  const state = useStore(props.store);
  const now = useNow(state.clockOffsetMs);
  const { session, onKey } = useSession(props);
  const [chosen, setChosen] = useState<EventChoice>();
  const shown = shownEvent(state, chosen);
  const areEventsKnown = state.heartbeat?.events_known ?? false;
  const stale = shown ? staleInputs(shown.event, state.status, shown.account) : [];
  return (
    <>
      <Header
        status={state.status}
        historyPercent={Math.min(100, ...Object.values(state.heartbeat?.history_percent ?? {}))}
        keyState={state.key}
        keyFault={state.keyFault}
        demoKey={props.demoKey}
        onKey={onKey}
      />
      <main class={isDisconnected(state.status) ? 'old' : ''}>
        <EventSwitcher
          accounts={state.accounts}
          areEventsKnown={areEventsKnown}
          now={now}
          chosen={shown}
          onChoose={setChosen}
        />
        {shown && session ? (
          <Sections state={state} session={session} shown={shown} now={now} />
        ) : (
          <NoEvents accounts={state.accounts} areEventsKnown={areEventsKnown} />
        )}
      </main>
      <footer class="bottom">
        <a href="docs">API</a> · <a href="llms.txt">for language models</a> · times are of your own zone
      </footer>
      <StaleNotice text={staleNoticeText(state.status, stale)} />
    </>
  );
}

function Sections(props: {
  readonly state: State;
  readonly session: Session;
  readonly shown: ShownEvent;
  readonly now: number;
}) {
  const { state, session, now } = props;
  const { account, eventId, records, event } = props.shown;
  const { status, heartbeat } = state;
  const isPaid = state.key === 'accepted';
  const prediction = records.predictions?.find(({ event_id }) => event_id === eventId);
  return (
    <>
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
      <Trade
        session={session}
        account={account}
        signals={records.signals?.find(({ event_id }) => event_id === eventId)}
        areSignalsLoaded={records.signals !== undefined}
        isPaid={isPaid}
      />
      <Trust
        client={session.keylessClient}
        status={status}
        heartbeat={heartbeat}
        account={account}
        times={records.times}
        now={now}
      />
    </>
  );
}

function NoEvents(props: Pick<State, 'accounts'> & { readonly areEventsKnown: boolean }) {
  const areAllLoaded = [...props.accounts.values()].every(({ counters }) => counters !== undefined);
  if (!areAllLoaded || !props.areEventsKnown) return <Loading what="events" />;
  return (
    <Empty title="No active event">The market has none open now. New ones appear here by themselves.</Empty>
  );
}
