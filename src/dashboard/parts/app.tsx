import { useCallback, useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { windowText } from '../format.ts';
import { neighbour, overviewRows } from '../state/overview.ts';
import { isOneAtATime, shownTogether } from '../state/page-account.ts';
import type { PageSettings } from '../state/page-settings.ts';
import type { Horizon } from '../state/place.ts';
import type { State } from '../state/records.ts';
import { type ShownEvent, shownEvent } from '../state/shown-event.ts';
import { isDisconnected, staleInputs, statusFor } from '../state/staleness.ts';
import type { Store } from '../state/store.ts';
import { AccountNames, useNames } from './account-names.ts';
import { AccountPicker } from './account-picker.tsx';
import { AlertNotice } from './alert-notice.tsx';
import { Alerts, firedText } from './alerts.tsx';
import { EventSwitcher } from './event-switcher.tsx';
import { Header } from './header.tsx';
import { useNow, useStore } from './hooks.ts';
import { Overview } from './overview.tsx';
import { Empty, Loading } from './panel.tsx';
import { Sections } from './sections.tsx';
import { Settings } from './settings.ts';
import { Shortcuts } from './shortcuts.tsx';
import { StaleNotice, staleNoticeText } from './stale-notice.tsx';
import { statusText } from './status-text.ts';
import { useTab } from './tab.ts';
import { useAlerts } from './use-alerts.ts';
import { usePlace } from './use-place.ts';
import { type OpenSession, useSession } from './use-session.ts';

const DEFAULT_HORIZON: Horizon = 24;

/** The whole page. */
export function App(props: {
  readonly store: Store;
  readonly settings: PageSettings;
  readonly openSession: OpenSession;
}) {
  const { store, settings } = props;
  const { accounts } = settings;
  const state = useStore(store);
  const now = useNow(state.clockOffsetMs);
  const { session, onKey } = useSession(store, props.openSession);
  const { place, go, settle } = usePlace();
  const shownAccounts = useMemo(() => shownTogether(accounts, place.account), [accounts, place.account]);
  useLayoutEffect(() => {
    store.follow(shownAccounts);
    session?.followAccounts();
  }, [session, shownAccounts]);
  const names = useNames(accounts);
  // Nobody is warned of sources that nothing on the page comes from.
  const status = useMemo(
    () => statusFor(state.status, (account) => shownAccounts.includes(account)),
    [state.status, shownAccounts],
  );
  const shown = shownEvent(state, place);
  const percents = shownAccounts.map((account) => state.heartbeat?.history_percent[account] ?? 100);
  const historyPercent = Math.min(100, ...percents);
  const connection = useMemo(
    () => statusText(status, historyPercent, names.sourceText),
    [status, historyPercent, names],
  );
  useTab(shown?.event, connection);
  const { account, eventId } = shown ?? {};
  const isAddressWhole = place.eventId !== undefined;
  useEffect(() => {
    // Right after another account was chosen the events are still those of the one before.
    if (account === undefined || !shownAccounts.includes(account)) return;
    if (!isAddressWhole) settle({ account, eventId });
  }, [account, eventId, isAddressWhole]);
  const alerts = useAlerts(store, {
    textOf: (fired) => firedText(fired, names.nameOf),
    onGo: ({ alert, event }) => go({ account: alert.account, eventId: event ?? undefined }),
  });
  const areEventsKnown = state.heartbeat?.events_known ?? false;
  const stale = shown ? staleInputs(shown.event, status, shown.account) : [];
  const rows = useMemo(() => overviewRows(state), [state.accounts]);
  const onHorizon = useCallback((horizon: Horizon) => go({ horizon }), []);
  return (
    <Settings.Provider value={settings}>
      <AccountNames.Provider value={names}>
        <Header
          state={status.state}
          connection={connection}
          keyState={state.key}
          keyFault={state.keyFault}
          demoKey={settings.demoKey}
          section={place.section}
          onKey={onKey}
        />
        <main
          class={[...(isDisconnected(status) ? ['old'] : []), ...stale.map((input) => `stale-${input}`)].join(
            ' ',
          )}
        >
          {session && isOneAtATime(accounts) ? (
            <AccountPicker
              client={session.keylessClient}
              accounts={accounts}
              chosen={shownAccounts[0]}
              onChoose={(chosen) => go({ account: chosen, eventId: undefined })}
            />
          ) : null}
          <EventSwitcher
            accounts={state.accounts}
            status={status}
            areEventsKnown={areEventsKnown}
            now={now}
            chosen={eventId}
            onChoose={go}
          />
          <div class="tools">
            {session ? (
              <Overview
                client={session.keylessClient}
                rows={rows}
                shown={eventId}
                now={now}
                onChoose={(chosen) => go({ account: chosen.account, eventId: chosen.eventId })}
              />
            ) : null}
            {shown ? <Alerts alerts={alerts} shown={shown} state={state} /> : null}
          </div>
          {shown?.isOther ? <OtherEvent shown={shown} name={names.nameOf(shown.account)} /> : null}
          {shown && session ? (
            <Sections
              state={state}
              status={status}
              session={session}
              shown={shown}
              shownAccounts={shownAccounts}
              isSized={accounts.some((each) => each.account === shown.account && each.sizing)}
              horizon={place.horizon ?? DEFAULT_HORIZON}
              onHorizon={onHorizon}
              onKey={onKey}
              settle={settle}
              now={now}
            />
          ) : (
            <NoEvents accounts={state.accounts} areEventsKnown={areEventsKnown} />
          )}
        </main>
        <footer class="bottom">
          <a href="docs">API</a> · <a href="llms.txt">for language models</a> · times are of your own zone ·
          press <kbd>?</kbd> for keys
        </footer>
        <Shortcuts
          onStep={(step) => {
            const next = neighbour(rows, eventId, step);
            if (next !== undefined) go({ account: next.account, eventId: next.eventId });
          }}
        />
        <AlertNotice told={alerts.told[0]} />
        <StaleNotice text={staleNoticeText(status, stale)} />
      </AccountNames.Provider>
    </Settings.Provider>
  );
}

/** Says that the event of the address is over. */
function OtherEvent(props: { readonly shown: ShownEvent; readonly name: string }) {
  return (
    <p class="other-event" role="status">
      {`The event of this link is not open any more. Shown is ${props.name}, ${windowText(props.shown.event.event_title)}.`}
    </p>
  );
}

function NoEvents(props: Pick<State, 'accounts'> & { readonly areEventsKnown: boolean }) {
  const areAllLoaded = [...props.accounts.values()].every(({ counters }) => counters !== undefined);
  if (!areAllLoaded || !props.areEventsKnown) return <Loading what="events" />;
  return (
    <Empty title="No active event">The market has none open now. New ones appear here by themselves.</Empty>
  );
}
