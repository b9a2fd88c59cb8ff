import {
  type AccountId,
  type EventRecord,
  HOUR_MS,
  type Prediction,
  type Subject,
} from '../../streams/internal.ts';
import type { AccountPath } from './account-path.ts';
import type { Latest, OutputOf } from './latest.ts';

/** An event whose window is open, so its start is known. */
export type ActiveEvent = OutputOf<'events'> & { readonly record: { readonly startAt: number } };

/** Active post-count events of an account, ordered by end, then by id. */
export function activeEvents(latest: Latest, account: AccountId): readonly ActiveEvent[] {
  return active(latest.ofAccount('events', account));
}

/** Active crypto price events, in the same order. */
export function activeCryptoEvents(latest: Latest): readonly ActiveEvent[] {
  return active(latest.all('events')).filter(({ record }) => isCrypto(record));
}

/** Events are listed days before they open. When the list is older than this, one that is open may be missing. */
export const LISTED_FOR_MS = HOUR_MS;

/** Whether every active event is known: without this, none that is known does not mean that there is none. */
export function areEventsKnown(latest: Latest, about: Subject['type'], nowMs: number): boolean {
  const listedAt = latest.get('freshness', 'all')?.record.listedAt[about] ?? null;
  return listedAt !== null && nowMs - listedAt <= LISTED_FOR_MS;
}

type EventFilter = (event: EventRecord) => boolean;

function isAbout(account: AccountId): EventFilter {
  return ({ subject }) => subject.type === 'posts' && subject.account === account;
}

function isCrypto({ subject }: EventRecord): boolean {
  return subject.type === 'crypto';
}

function active(events: Iterable<OutputOf<'events'>>): readonly ActiveEvent[] {
  return Array.from(events)
    .filter(isActive)
    .sort(({ record: a }, { record: b }) => a.endAt - b.endAt || a.eventId - b.eventId);
}

export function isActive(event: OutputOf<'events'>): event is ActiveEvent {
  return event.record.phase === 'active' && event.record.startAt !== null;
}

/** Whether a forecast is about the window that the event has. One made before the window changed says nothing about it. */
export function isForecastOf(
  { startAt, endAt }: Pick<EventRecord, 'startAt' | 'endAt'>,
  forecast: Pick<Prediction, 'startAt' | 'endAt'>,
): boolean {
  return forecast.startAt === startAt && forecast.endAt === endAt;
}

/** The newest forecast of an event. */
export function forecastOf(
  latest: Latest,
  { key, record: event }: OutputOf<'events'>,
): OutputOf<'predictions'> | undefined {
  const forecast = latest.get('predictions', key);
  return forecast !== undefined && isForecastOf(event, forecast.record) ? forecast : undefined;
}

/** The latest price of each bucket's Yes token, by token. */
export function pricesOf(latest: Latest, { buckets }: EventRecord) {
  return new Map(buckets.map(({ yesToken }) => [yesToken, latest.get('prices', yesToken)]));
}

/** Whole seconds from `at` until the event ends; 0 after its end. */
export function secondsLeft({ endAt }: EventRecord, at: number): number {
  return Math.max(0, Math.floor((endAt - at) / 1_000));
}

/** The active events that have one record each. */
interface EventRecords {
  keys(latest: Latest): readonly string[];
  /** The event, if it is active and one of these events. */
  find(latest: Latest, key: string): ActiveEvent | undefined;
  /** The key of the event whose price this is, if it is one of these events. */
  pricedKeys(output: OutputOf<'prices'>, latest: Latest): readonly string[] | undefined;
}

/** Any event output changes the record of its event: the event may have moved from one account to another. */
export const movedByEvents = (output: OutputOf<'events'>): readonly string[] => [output.key];

export function postEvents({ id }: AccountPath): EventRecords {
  return eventRecords(isAbout(id), (latest) => activeEvents(latest, id));
}

export function cryptoEvents(): EventRecords {
  return eventRecords(isCrypto, activeCryptoEvents);
}

function eventRecords(
  belongs: EventFilter,
  activeOf: (latest: Latest) => readonly ActiveEvent[],
): EventRecords {
  return {
    keys: (latest) => activeOf(latest).map(({ key }) => key),
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
