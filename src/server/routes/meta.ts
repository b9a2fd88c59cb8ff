import { activeEvents } from '../active-events.ts';
import type { Endpoint } from '../answer.ts';
import { API_PREFIX } from '../paths.ts';
import { createPrebuilt } from '../prebuilt.ts';
import { agesOf, closeRecords, newest, openRecord } from '../wire/as-of.ts';
import { countersToWire } from '../wire/counters.ts';
import type { StreamDeps } from './deps.ts';

/** GET /meta/{account}: the counters of every active event (spec 4, endpoints 1 and 2). */
export function metaEndpoints({ latest, watcher, accounts, now, epoch }: StreamDeps): readonly Endpoint[] {
  return accounts.map(({ id, segment }) => {
    const records = () =>
      activeEvents(latest, id).map((event) => {
        const counters = latest.get('counters', event.key);
        return openRecord(countersToWire(event.record, counters?.record), newest(event, counters));
      });
    return {
      path: `${API_PREFIX}/meta/${segment}`,
      answer: createPrebuilt({
        // Any event, as one may leave the account it had.
        watch: watcher.watch(
          (output) =>
            output.stream === 'events' || (output.stream === 'counters' && output.record.account === id),
        ),
        variant: `${epoch}-meta-${segment}`,
        now,
        size: () => activeEvents(latest, id).length,
        build: () => `"data":${closeRecords(records(), agesOf(latest, id))}`,
      }),
    };
  });
}
