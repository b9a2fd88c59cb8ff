import type { EventRecord, OutputOf } from '../../../streams/internal.ts';
import type { Store } from '../../store/store.ts';

/**
 * Gives an event as it was known at a seq, for seqs that never go back. Of an event whose history was dropped the latest is
 * all that is known. Undefined for one that was never listed.
 */
export function followEvents({ outputs }: Store): (eventId: number, seq: number) => EventRecord | undefined {
  const history = outputs.read('events', 0)[Symbol.iterator]();
  const known = new Map<number, EventRecord>();
  let next = history.next();
  return (eventId, seq) => {
    while (!next.done && next.value.seq <= seq) {
      // Each row is what JSON.stringify made of an output of this stream.
      const { record } = JSON.parse(next.value.json) as OutputOf<'events'>;
      known.set(record.eventId, record);
      next = history.next();
    }
    const found = known.get(eventId);
    if (found !== undefined) return found;
    const latest = outputs.get('events', String(eventId));
    return latest?.stream === 'events' ? latest.record : undefined;
  };
}
