import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../state/session.ts';
import type { Store } from '../state/store.ts';
import { type Chosen, EventSwitcher } from './event-switcher.tsx';
import { Forecast } from './forecast.tsx';
import { Header } from './header.tsx';
import { useNow, useStore } from './hooks.ts';
import { Now } from './now.tsx';
import { Empty, Loading } from './panel.tsx';
import { Trade } from './trade.tsx';
import { Trust } from './trust.tsx';

export interface AppProps {
  readonly store: Store;
  readonly openSession: (key: string | undefined, onRefused: (detail: string) => void) => Session;
}

/** Kept in the tab, and gone with it. */
const KEY = 'key';

function useSession({ store, openSession }: AppProps) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY) ?? undefined);
  const [session, setSession] = useState<Session>();
  useEffect(() => {
    const opened = openSession(key, (detail) => {
      store.change({ keyFault: detail });
      sessionStorage.removeItem(KEY);
      setKey(undefined);
    });
    setSession(opened);
    return () => opened.end();
  }, [key]);
  const onKey = (typed: string | undefined) => {
    store.change({ keyFault: undefined });
    if (typed === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, typed);
    setKey(typed);
  };
  return { session, onKey };
}

/** The whole page. */
export function App(props: AppProps) {
  const state = useStore(props.store);
  const now = useNow(state.skewMs);
  const { session, onKey } = useSession(props);
  const [wanted, setWanted] = useState<Chosen>();
  const [first] = [...state.accounts].flatMap(([account, { counters = [] }]) =>
    counters.map(({ event_id }) => ({ account, eventId: event_id })),
  );
  const isThere = (choice: Chosen) =>
    state.accounts.get(choice.account)?.counters?.some(({ event_id }) => event_id === choice.eventId);
  const chosen = wanted && isThere(wanted) ? wanted : first;
  const known = chosen && state.accounts.get(chosen.account);
  const event = known?.counters?.find(({ event_id }) => event_id === chosen?.eventId);
  const prediction = known?.predictions?.find(({ event_id }) => event_id === chosen?.eventId);
  const isOld =
    state.status.state === 'down' || (state.status.state === 'stale' && state.status.reason !== 'source');
  const areAllRead = [...state.accounts.values()].every(({ counters }) => counters !== undefined);
  return (
    <>
      <Header state={state} onKey={onKey} />
      <main class={isOld ? 'old' : ''}>
        {isOld ? (
          <p class="banner" role="alert">
            Nothing new comes in. What you see is how things were; it goes on by itself.
          </p>
        ) : null}
        <EventSwitcher state={state} now={now} chosen={chosen} onChoose={setWanted} />
        {chosen && known && event && session ? (
          <>
            <div class="desk">
              <Now
                state={state}
                account={chosen.account}
                known={known}
                event={event}
                prediction={prediction}
                now={now}
              />
              <Forecast state={state} known={known} prediction={prediction} now={now} />
            </div>
            <Trade state={state} session={session} account={chosen.account} known={known} event={event} />
            <Trust client={session.client} state={state} account={chosen.account} known={known} now={now} />
          </>
        ) : areAllRead ? (
          <Empty title="No active event">
            The market has none open now. New ones appear here by themselves.
          </Empty>
        ) : (
          <Loading what="events" />
        )}
      </main>
      <footer class="bottom">
        <a href="docs">API</a> · <a href="llms.txt">for language models</a> · <a href="metrics">metrics</a> ·
        times are of your own zone
      </footer>
    </>
  );
}
