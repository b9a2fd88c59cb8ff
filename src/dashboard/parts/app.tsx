import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { isOneAtATime, type PageAccount, shownTogether } from '../state/page-account.ts';
import type { AccountState, Counters, State } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import { isDisconnected, staleInputs, statusFor } from '../state/staleness.ts';
import type { Store } from '../state/store.ts';
import { AccountNames } from './account-names.ts';
import { AccountPicker } from './account-picker.tsx';
import { type EventChoice, EventSwitcher } from './event-switcher.tsx';
import { Forecast } from './forecast.tsx';
import { Header } from './header.tsx';
import { useNow, useStore } from './hooks.ts';
import { Now } from './now.tsx';
import { OverTime } from './over-time.tsx';
import { Empty, Loading } from './panel.tsx';
import { StaleNotice, staleNoticeText } from './stale-notice.tsx';
import { Trade } from './trade.tsx';
import { Trust } from './trust.tsx';

interface AppProps {
  readonly store: Store;
  readonly accounts: readonly PageAccount[];
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
  const { store, accounts } = props;
  const state = useStore(store);
  const now = useNow(state.clockOffsetMs);
  const { session, onKey } = useSession(props);
  const [chosenAccount, setChosenAccount] = useState<string>();
  const [chosen, setChosen] = useState<EventChoice>();
  const shownAccounts = useMemo(() => shownTogether(accounts, chosenAccount), [accounts, chosenAccount]);
  useLayoutEffect(() => {
    store.follow(shownAccounts);
    session?.followAccounts();
  }, [session, shownAccounts]);
  const names = useMemo(() => new Map(accounts.map(({ account, name }) => [account, name])), [accounts]);
  // Nobody is warned of sources that nothing on the page comes from.
  const status = useMemo(
    () => statusFor(state.status, (account) => shownAccounts.includes(account)),
    [state.status, shownAccounts],
  );
  const shown = shownEvent(state, chosen);
  const percents = shownAccounts.map((account) => state.heartbeat?.history_percent[account] ?? 100);
  const areEventsKnown = state.heartbeat?.events_known ?? false;
  const stale = shown ? staleInputs(shown.event, status, shown.account) : [];
  return (
    <AccountNames.Provider value={names}>
      <Header
        status={status}
        historyPercent={Math.min(100, ...percents)}
        keyState={state.key}
        keyFault={state.keyFault}
        demoKey={props.demoKey}
        onKey={onKey}
      />
      <main class={isDisconnected(status) ? 'old' : ''}>
        {session && isOneAtATime(accounts) ? (
          <AccountPicker
            client={session.keylessClient}
            accounts={accounts}
            chosen={shownAccounts[0]}
            onChoose={setChosenAccount}
          />
        ) : null}
        <EventSwitcher
          accounts={state.accounts}
          areEventsKnown={areEventsKnown}
          now={now}
          chosen={shown}
          onChoose={setChosen}
        />
        {shown && session ? (
          <Sections
            state={state}
            status={status}
            session={session}
            shown={shown}
            shownAccounts={shownAccounts}
            isSized={accounts.some(({ account, sizing }) => account === shown.account && sizing)}
            now={now}
          />
        ) : (
          <NoEvents accounts={state.accounts} areEventsKnown={areEventsKnown} />
        )}
      </main>
      <footer class="bottom">
        <a href="docs">API</a> · <a href="llms.txt">for language models</a> · times are of your own zone
      </footer>
      <StaleNotice text={staleNoticeText(status, stale)} />
    </AccountNames.Provider>
  );
}

function Sections(props: {
  readonly state: State;
  readonly status: State['status'];
  readonly session: Session;
  readonly shown: ShownEvent;
  readonly shownAccounts: readonly string[];
  /** Whether positions of the shown account are sized for a bankroll. */
  readonly isSized: boolean;
  readonly now: number;
}) {
  const { state, status, session, now } = props;
  const { account, eventId, records, event } = props.shown;
  const { heartbeat } = state;
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
        signals={records.signals?.find(({ event_id }) => event_id === eventId)}
        areSignalsLoaded={records.signals !== undefined}
        isPaid={isPaid}
      />
      <Trust
        client={session.keylessClient}
        status={status}
        heartbeat={heartbeat}
        account={account}
        shownAccounts={props.shownAccounts}
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
