import type { AccountId } from '../../streams/internal.ts';
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
