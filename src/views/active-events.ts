import type { AccountId } from '../../streams/internal.ts';
import type { AccountPath } from './account-path.ts';
import type { Latest, OutputOf } from './latest.ts';

/** An event whose window is open, and so has a start. */
export type ActiveEvent = OutputOf<'events'> & { readonly record: { readonly startAt: number } };

/** Active post-count events of an account, in the order they end, then by id. */
export function activeEvents(latest: Latest, account: AccountId): readonly ActiveEvent[] {
  return active(latest, ({ subject }) => subject.type === 'posts' && subject.account === account);
}

/** Active crypto price events, in the same order. */
export function activeCryptoEvents(latest: Latest): readonly ActiveEvent[] {
  return active(latest, ({ subject }) => subject.type === 'crypto');
}

function active(
  latest: Latest,
  belongs: (event: OutputOf<'events'>['record']) => boolean,
): readonly ActiveEvent[] {
  return Array.from(latest.all('events'))
    .filter(isActive)
    .filter(({ record }) => belongs(record))
    .sort(({ record: a }, { record: b }) => a.endAt - b.endAt || a.eventId - b.eventId);
}

export function isActive(event: OutputOf<'events'>): event is ActiveEvent {
  return event.record.phase === 'active' && event.record.startAt !== null;
}

/** The events that a record is made of, one record each. */
interface EventRecords {
  keys(latest: Latest): readonly string[];
  /** The event, if it is active and one of these. */
  find(latest: Latest, key: string): ActiveEvent | undefined;
  /** The key of the event an output of `prices` is about, if it is one of these. */
  pricedKeys(output: OutputOf<'prices'>, latest: Latest): readonly string[] | undefined;
}

/** Any event moves the records, as one may leave the account it had. */
export const movedByEvents = (output: OutputOf<'events'>): readonly string[] => [output.key];

export function postEvents({ id }: AccountPath): EventRecords {
  return eventRecords(
    (latest) => activeEvents(latest, id),
    ({ subject }) => subject.type === 'posts' && subject.account === id,
  );
}

export function cryptoEvents(): EventRecords {
  return eventRecords(activeCryptoEvents, ({ subject }) => subject.type === 'crypto');
}

function eventRecords(
  all: (latest: Latest) => readonly ActiveEvent[],
  belongs: (event: OutputOf<'events'>['record']) => boolean,
): EventRecords {
  return {
    keys: (latest) => all(latest).map(({ key }) => key),
    find(latest, key) {
      const event = latest.get('events', key);
      return event !== undefined && isActive(event) && belongs(event.record) ? event : undefined;
    },
    pricedKeys(output, latest) {
      const key = String(output.record.eventId);
      const event = latest.get('events', key);
      return event !== undefined && belongs(event.record) ? [key] : undefined;
    },
  };
}
