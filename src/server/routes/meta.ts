import type { Input } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { type ActiveEvent, activeEvents } from '../../views/active-events.ts';
import { agesOf, closeRecords, lateInputs, newest, openRecord, staleNow } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import { countersToWire } from '../../views/records/counters-fields.ts';
import type { Endpoint } from '../answer.ts';
import { createPrebuilt } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /meta/{account}: the counters of every active event (spec 4, endpoints 1 and 2). */
export function metaEndpoints(deps: StreamDeps): readonly Endpoint[] {
  const { latest, watcher, accounts, now, staleAfterMs, epoch } = deps;
  return accounts.map(({ id, segment }) => {
    const records = (late: readonly Input[]) =>
      activeEvents(latest, id).map((event) => openCounters(latest, event, late));
    return {
      path: `${API_PREFIX}/meta/${segment}`,
      access: 'open',
      isCounted: true,
      answer: createPrebuilt({
        // Any event, as one may leave the account it had.
        watch: watcher.watch(
          (output) =>
            output.stream === 'events' || (output.stream === 'counters' && output.record.account === id),
        ),
        variant: `${epoch}-meta-${segment}`,
        now,
        size: () => activeEvents(latest, id).length,
        build(nowMs) {
          const ages = agesOf(latest, nowMs, id);
          return `"data":${closeRecords(records(lateInputs(ages, staleAfterMs)), ages)}`;
        },
        mark: (nowMs) => lateInputs(agesOf(latest, nowMs, id), staleAfterMs).join('.'),
      }),
    };
  });
}

/** The open record of one event. */
export function openCounters(latest: Latest, event: ActiveEvent, late: readonly Input[]): string {
  const counters = latest.get('counters', event.key);
  const fields = countersToWire(event.record, counters?.record);
  return openRecord({ ...fields, stale: staleNow(fields.stale, late) }, newest(event, counters));
}
