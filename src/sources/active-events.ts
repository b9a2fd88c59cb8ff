import type { EventRecord } from '../../streams/internal.ts';
import type { AccountEndpoint } from './endpoints.ts';
import type { SourceLookups } from './source.ts';

/** The events about an account's posts whose windows are open. */
export function activeEventsOf(
  { id }: Pick<AccountEndpoint, 'id'>,
  lookups: Pick<SourceLookups, 'unsettledEvents'>,
): readonly EventRecord[] {
  return lookups.unsettledEvents(id).filter(({ phase }) => phase === 'active');
}
