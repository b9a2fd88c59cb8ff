import type { Output } from '../../streams/internal.ts';
import type { Outputs } from '../store/store.ts';
import type { Latest } from '../views/latest.ts';
import { createKnown, isWatched, type Known, WATCHED_STREAMS, type WatchedStream } from './known.ts';

/** Of what changed since, so many earlier outputs are looked through for what was known before. */
const MOST_LOOKED_BACK = 50_000;

/** What was known at `seq`, where the latest values may be ahead of it. */
export function loadKnown(latest: Latest, outputs: Pick<Outputs, 'readBack'>, seq: number): Known {
  const known = createKnown();
  const changed = new Map<WatchedStream, Set<string>>(WATCHED_STREAMS.map((stream) => [stream, new Set()]));
  const put = (output: Output | undefined, stream: WatchedStream, key: string) => {
    if (output === undefined) return;
    if (output.seq <= seq) known.put(output);
    else changed.get(stream)?.add(key);
  };
  // Events first, as what is about no known event is not kept.
  for (const event of latest.all('events')) put(event, 'events', event.key);
  restore('events');
  for (const { eventId, buckets } of known.events()) {
    const key = String(eventId);
    put(latest.get('counters', key), 'counters', key);
    put(latest.get('predictions', key), 'predictions', key);
    for (const { yesToken } of buckets) put(latest.get('prices', yesToken), 'prices', yesToken);
  }
  for (const stream of ['velocity', 'lag'] as const) {
    for (const output of latest.all(stream)) put(output, stream, output.key);
  }
  for (const stream of WATCHED_STREAMS) restore(stream);
  return known;

  function restore(stream: WatchedStream): void {
    const keys = changed.get(stream);
    if (keys === undefined || keys.size === 0) return;
    let looked = 0;
    for (const { json } of outputs.readBack(stream, seq)) {
      // The store returns the JSON of the outputs it was given.
      const output = JSON.parse(json) as Output;
      if (isWatched(output) && keys.delete(output.key)) known.put(output);
      looked += 1;
      if (keys.size === 0 || looked >= MOST_LOOKED_BACK) break;
    }
    keys.clear();
  }
}
