import type { AccountId } from '../../streams/index.ts';
import type { Latest, OutputOf } from '../store/latest.ts';

/** Active post-count events of an account, in the order they end, then by id. */
export function activeEvents(latest: Latest, account: AccountId): readonly OutputOf<'events'>[] {
  return active(latest, ({ subject }) => subject.type === 'posts' && subject.account === account);
}

/** Active crypto price events, in the same order. */
export function activeCryptoEvents(latest: Latest): readonly OutputOf<'events'>[] {
  return active(latest, ({ subject }) => subject.type === 'crypto');
}

function active(
  latest: Latest,
  belongs: (event: OutputOf<'events'>['record']) => boolean,
): readonly OutputOf<'events'>[] {
  return Array.from(latest.all('events'))
    .filter(({ record }) => record.phase === 'active' && belongs(record))
    .sort(({ record: a }, { record: b }) => a.endAt - b.endAt || a.eventId - b.eventId);
}
