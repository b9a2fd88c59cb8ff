import type { EventRecord, Output, StreamName } from '../../streams/internal.ts';

/** The streams that figures are read of. All of them are kept, so that none is missed by a process that was killed. */
export const WATCHED_STREAMS = ['events', 'counters', 'predictions', 'prices', 'velocity', 'lag'] as const;
export type WatchedStream = (typeof WATCHED_STREAMS)[number];

export type WatchedOutput = Extract<Output, { readonly stream: WatchedStream }>;

export function isWatched(output: Output): output is WatchedOutput {
  return WATCHED_STREAMS.some((stream) => stream === output.stream) && !isScored(output);
}

/** Forecasts to be scored are kept apart from the newest one of their event. */
function isScored(output: Output): boolean {
  return output.stream === 'predictions' && output.key !== String(output.record.eventId);
}

/** The latest outputs as of one seq. */
export interface Known {
  get<S extends WatchedStream>(stream: S, key: string): Extract<Output, { readonly stream: S }> | undefined;
  /** Every event that is about posts and not over. */
  events(): Iterable<EventRecord>;
  event(id: number): EventRecord | undefined;
  put(output: Output): void;
}

export function createKnown(): Known {
  const byStream = new Map<StreamName, Map<string, Output>>();
  const events = new Map<number, EventRecord>();

  function forget(event: EventRecord): void {
    events.delete(event.eventId);
    const key = String(event.eventId);
    byStream.get('counters')?.delete(key);
    byStream.get('predictions')?.delete(key);
    for (const { yesToken } of event.buckets) byStream.get('prices')?.delete(yesToken);
  }

  return {
    get<S extends WatchedStream>(stream: S, key: string) {
      return byStream.get(stream)?.get(key) as Extract<Output, { readonly stream: S }> | undefined;
    },
    events: () => events.values(),
    event: (id) => events.get(id),
    put(output) {
      if (output.stream === 'events') {
        const { record } = output;
        if (record.subject.type !== 'posts') return;
        if (record.phase === 'closed') forget(record);
        else events.set(record.eventId, record);
        return;
      }
      // Prices of other events are of no use here.
      if (output.stream === 'prices' && !events.has(output.record.eventId)) return;
      const values = byStream.get(output.stream) ?? new Map<string, Output>();
      byStream.set(output.stream, values.set(output.key, output));
    },
  };
}
