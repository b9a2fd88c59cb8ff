import type { AccountId } from '../../streams/internal.ts';
import { activeEvents, areEventsKnown } from './active-events.ts';
import type { Latest } from './latest.ts';

/**
 * How much was read of the past that the active events of an account need, in percent: that of the event which has least,
 * and 0 while its events are not known. Below 100 a count is not known yet. Events whose past cannot be read do not matter.
 */
export function historyPercent(latest: Latest, account: AccountId, nowMs: number): number {
  const percents = activeEvents(latest, account).map(
    ({ key }) => latest.get('counters', key)?.record.historyPercent ?? 100,
  );
  if (percents.length === 0 && !areEventsKnown(latest, 'posts', nowMs)) return 0;
  return Math.min(100, ...percents);
}
