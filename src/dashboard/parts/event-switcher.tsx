import { countdownText, countText, windowText } from '../format.ts';
import type { State } from '../state/records.ts';
import { staleInputs } from '../state/staleness.ts';
import { useAccountName } from './account-names.ts';
import { ScrollArea } from './table.tsx';
import { Explained } from './term.tsx';

interface EventChoice {
  readonly account: string;
  readonly eventId: number;
}

/** A choice among the active events of the accounts that are followed. */
export function EventSwitcher(props: {
  readonly accounts: State['accounts'];
  readonly status: State['status'];
  /** Whether the server knows the events of the market, so that none means none. */
  readonly areEventsKnown: boolean;
  readonly now: number;
  /** The id of the event that is shown. */
  readonly chosen: number | undefined;
  readonly onChoose: (chosen: EventChoice) => void;
}) {
  const nameOf = useAccountName();
  return (
    <div class="switcher">
      {[...props.accounts].map(([account, { counters }]) => (
        <fieldset key={account}>
          <legend>{nameOf(account)}</legend>
          <span class="chip-term">
            <Explained word="UI −n" />
          </span>
          <ScrollArea label={`Events of ${nameOf(account)}`}>
            <div class="events">
              {counters?.map((event) => {
                const isChosen = event.event_id === props.chosen;
                const isStale = staleInputs(event, props.status, account).length > 0;
                return (
                  <label
                    key={event.event_id}
                    class={`event ${isChosen ? 'chosen' : ''} ${isStale ? 'is-stale' : ''}`}
                  >
                    <input
                      type="radio"
                      name="event"
                      checked={isChosen}
                      onChange={() => props.onChoose({ account, eventId: event.event_id })}
                    />
                    <span class="window">{windowText(event.event_title)}</span>
                    <span class="count num">{countText(event.real_counter)}</span>
                    <span class="left num">{countdownText(event.end_ts - props.now)}</span>
                    <span class={isStale ? 'tag warn' : 'tag quiet'}>
                      {isStale ? 'stale' : uiDeltaText(event.display_delta)}
                    </span>
                  </label>
                );
              })}
              {counters?.length === 0 && props.areEventsKnown ? <p class="none">No active event.</p> : null}
              {counters === undefined || (counters.length === 0 && !props.areEventsKnown) ? (
                <p class="none">Reading events …</p>
              ) : null}
            </div>
          </ScrollArea>
        </fieldset>
      ))}
    </div>
  );
}

function uiDeltaText(delta: number | null): string {
  if (delta === null) return 'UI ?';
  return delta === 0 ? 'UI level' : `UI ${delta > 0 ? '−' : '+'}${Math.abs(delta)}`;
}
