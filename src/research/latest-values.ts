import { KEPT_STREAMS, type Output, type StreamName } from '../../streams/internal.ts';
import type { Outputs } from '../store/store.ts';
import type { Difference } from './difference.ts';

interface Value {
  readonly seq: number;
  readonly json: string;
}

/** The last recomputed output under each key. */
interface RecomputedLatest {
  put(output: Output, json: string): void;
  of(stream: StreamName): ReadonlyMap<string, Value>;
  count(): number;
}

export function createRecomputedLatest(): RecomputedLatest {
  const streams = new Map<StreamName, Map<string, Value>>(KEPT_STREAMS.map((stream) => [stream, new Map()]));
  return {
    put: ({ stream, key, seq }, json) => void streams.get(stream)?.set(key, { seq, json }),
    of: (stream) => streams.get(stream) ?? new Map(),
    count: () => [...streams.values()].reduce((sum, values) => sum + values.size, 0),
  };
}

/**
 * The first latest value that is not the last one recomputed. Values of observations up to `afterSeq`
 * were not recomputed; those after `toSeq` come from an engine that has gone on meanwhile.
 */
export function compareLatest(
  outputs: Outputs,
  recomputed: RecomputedLatest,
  range: { readonly afterSeq: number; readonly toSeq: number },
): Difference | undefined {
  for (const stream of KEPT_STREAMS) {
    const place = `latest ${stream}`;
    const missing = new Map(recomputed.of(stream));
    for (const output of outputs.latest(stream)) {
      const { key, seq } = output;
      const value = missing.get(key);
      missing.delete(key);
      const isNewer = seq > range.toSeq && seq <= outputs.upTo;
      const isOlder = seq <= range.afterSeq && value === undefined;
      if (isNewer || isOlder) continue;
      const kept = JSON.stringify(output);
      if (kept === value?.json) continue;
      return { place, seq: value?.seq ?? seq, kept, recomputed: value?.json ?? null };
    }
    for (const { seq, json } of missing.values()) return { place, seq, kept: null, recomputed: json };
  }
  return undefined;
}
