import type { RecordOf } from '../../contract/record-of.ts';
import type { accountRecord } from '../../contract/records/account.ts';
import type { AccountPath } from '../account-path.ts';
import type { ActiveEvent } from '../active-events.ts';

/** An account with its active events: GET /accounts. `events` is null while they are not known. */
export function accountToWire(
  { segment, name, policy }: AccountPath,
  events: readonly ActiveEvent[] | null,
): RecordOf<typeof accountRecord> {
  return {
    account: segment,
    name,
    velocity: policy.hasVelocity,
    sizing: policy.hasSizing,
    rebalancing: policy.hasRebalancing,
    buy_only: policy.isBuyOnly,
    free_fields: policy.freeFields,
    active_events: events === null ? null : events.map(({ record }) => eventToWire(record)),
  };
}

function eventToWire({ eventId, title, slug, startAt, endAt }: ActiveEvent['record']) {
  return { event_id: eventId, event_title: title, event_slug: slug, start_ts: startAt, end_ts: endAt };
}
