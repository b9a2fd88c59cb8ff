import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { AccountState, Counters, State } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import { isOld, staleInputs } from '../state/staleness.ts';
import type { Store } from '../state/store.ts';
import { type Chosen, EventSwitcher } from './event-switcher.tsx';
import { Forecast } from './forecast.tsx';
import { Header } from './header.tsx';
import { useNow, useStore } from './hooks.ts';
import { Notice, noticeOf } from './notice.tsx';
import { Now } from './now.tsx';
import { Empty, Loading } from './panel.tsx';
import { Trade } from './trade.tsx';
import { Trust } from './trust.tsx';

export interface AppProps {
  readonly store: Store;
  /** A key that everyone may use; there is one in the demo. */
  readonly demoKey: string | undefined;
  readonly openSession: (key: string | undefined, onRefused: (detail: string) => void) => Session;
}

/** Kept in the tab, and gone with it. */
const KEY = 'key';

function useSession({ store, openSession }: AppProps) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY) ?? undefined);
  const [session, setSession] = useState<Session>();
  // Before the first frame: the server is asked while that is drawn.
  useLayoutEffect(() => {
    const opened = openSession(key, (detail) => {
      store.change({ keyFault: detail });
      sessionStorage.removeItem(KEY);
      setKey(undefined);
    });
    setSession(opened);
    return () => opened.end();
  }, [key]);
  const onKey = useCallback((typed: string | undefined) => {
    store.change({ keyFault: undefined });
    if (typed === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, typed);
    setKey(typed);
  }, []);
  return { session, onKey };
}

interface Shown extends Chosen {
  readonly known: AccountState;
  readonly event: Counters;
}

/** The event that was chosen as long as it is there, else the first one. */
function shownOf({ accounts }: State, wanted: Chosen | undefined): Shown | undefined {
  const all = [...accounts].flatMap(([account, known]) =>
    (known.counters ?? []).map((event) => ({ account, eventId: event.event_id, known, event })),
  );
  return (
    all.find(({ account, eventId }) => account === wanted?.account && eventId === wanted.eventId) ?? all[0]
  );
}

/** The whole page. */
export function App(props: AppProps) {
  const state = useStore(props.store);
  const now = useNow(state.skewMs);
  const { session, onKey } = useSession(props);
  const [wanted, setWanted] = useState<Chosen>();
  const shown = shownOf(state, wanted);
  const stale = shown ? staleInputs(shown.event, state.status, shown.account) : [];
  return (
    <>
      <Header
        status={state.status}
        keyState={state.key}
        keyFault={state.keyFault}
        demoKey={props.demoKey}
        onKey={onKey}
      />
      <main class={isOld(state.status) ? 'old' : ''}>
        <EventSwitcher accounts={state.accounts} now={now} chosen={shown} onChoose={setWanted} />
        {shown && session ? (
          <Sections state={state} session={session} shown={shown} now={now} />
        ) : (
          <Nothing accounts={state.accounts} />
        )}
      </main>
      <footer class="bottom">
        <a href="docs">API</a> · <a href="llms.txt">for language models</a> · <a href="metrics">metrics</a> ·
        times are of your own zone
      </footer>
      <Notice text={noticeOf(state.status, stale)} />
    </>
  );
}

function Sections(props: {
  readonly state: State;
  readonly session: Session;
  readonly shown: Shown;
  readonly now: number;
}) {
  const { state, session, now } = props;
  const { account, eventId, known, event } = props.shown;
  const { status, heartbeat } = state;
  const isPaid = state.key === 'accepted';
  const prediction = known.predictions?.find(({ event_id }) => event_id === eventId);
  return (
    <>
      <div class="desk">
        <Now
          account={account}
          event={event}
          status={status}
          heartbeat={heartbeat}
          lag={known.lag}
          velocity={known.velocity}
          sleepProbability={prediction?.sleep_probability}
          posts={known.posts}
          times={known.times}
          isPaid={isPaid}
          now={now}
        />
        <Forecast
          key={eventId}
          prediction={prediction}
          times={known.times}
          stir={known.stirs.get(eventId)}
          isPaid={isPaid}
          now={now}
        />
      </div>
      <Trade
        session={session}
        account={account}
        signals={known.signals?.find(({ event_id }) => event_id === eventId)}
        areSignalsRead={known.signals !== undefined}
        isPaid={isPaid}
      />
      <Trust
        client={session.client}
        status={status}
        heartbeat={heartbeat}
        account={account}
        times={known.times}
        now={now}
      />
    </>
  );
}

function Nothing({ accounts }: Pick<State, 'accounts'>) {
  const areAllRead = [...accounts.values()].every(({ counters }) => counters !== undefined);
  if (!areAllRead) return <Loading what="events" />;
  return (
    <Empty title="No active event">The market has none open now. New ones appear here by themselves.</Empty>
  );
}
