import type { StreamName } from '../../streams/index.ts';
import { EPHEMERAL } from '../store/outputs.ts';

const EVERY: Readonly<Record<StreamName, true>> = {
  posts: true,
  events: true,
  counters: true,
  velocity: true,
  prices: true,
  lag: true,
  spot: true,
  freshness: true,
  failures: true,
};

export function isStreamName(name: string): name is StreamName {
  return Object.hasOwn(EVERY, name);
}

export const STREAM_NAMES: readonly StreamName[] = Object.keys(EVERY).filter(isStreamName);

/** Those whose outputs are found in a store. */
export const KEPT_STREAMS: readonly StreamName[] = STREAM_NAMES.filter((stream) => !EPHEMERAL.has(stream));
