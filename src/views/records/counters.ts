import type { Counters } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { countersRecord } from '../../contract/records/counters.ts';
import type { AccountPath } from '../account-path.ts';
import { type ActiveEvent, movedByEvents, postEvents } from '../active-events.ts';
import { newest, openRecord, staleNow } from '../as-of.ts';
import type { RecordView } from '../record-view.ts';

/** The counters of each active event: GET /meta/{account} and the channel `counters`. */
export function countersView(account: AccountPath): RecordView {
  const events = postEvents(account);
  return {
    audiences: 'everyone',
    listsStale: true,
    hasAsOf: true,
    eventsAbout: 'posts',
    movedBy: {
      events: movedByEvents,
      counters: ({ key, record }) => (record.account === account.id ? [key] : undefined),
    },
    keys: events.keys,
    render({ latest, late }, key) {
      const event = events.find(latest, key);
      if (event === undefined) return undefined;
      const counters = latest.get('counters', key);
      const fields = countersToWire(event.record, counters?.record);
      const text = openRecord({ ...fields, stale: staleNow(fields.stale, late) }, newest(event, counters));
      return () => text;
    },
  };
}

/** An event with its counters (spec 2.2). Before the first count all counters are unknown. */
export function countersToWire(
  event: ActiveEvent['record'],
  counters: Counters | undefined,
): RecordOf<typeof countersRecord> {
  return {
    event_id: event.eventId,
    event_title: event.title,
    event_slug: event.slug,
    image: event.image,
    start_ts: event.startAt,
    end_ts: event.endAt,
    market_oracle_counter: counters?.oracle ?? null,
    real_counter: counters?.real ?? null,
    market_ui_counter: counters?.ui ?? null,
    settlement_delta: counters?.settlementDelta ?? null,
    display_delta: counters?.displayDelta ?? null,
    internal_delta: counters?.internalDelta ?? null,
    deleted_count: counters?.deleted ?? null,
    via: counters?.via ?? null,
    stale: counters?.stale ?? [],
    history_percent: counters?.historyPercent ?? null,
  };
}
