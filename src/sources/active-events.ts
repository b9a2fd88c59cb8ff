import type { EventRecord } from '../../streams/internal.ts';
import type { AccountEndpoint } from './endpoints.ts';
import type { SourceLookups } from './source.ts';

/** The events about an account's posts whose windows are open. */
export function activeEventsOf(
  { id }: Pick<AccountEndpoint, 'id'>,
  lookups: Pick<SourceLookups, 'events'>,
): readonly EventRecord[] {
  return lookups
    .events()
    .filter(({ phase, subject }) => phase === 'active' && subject.type === 'posts' && subject.account === id);
}
