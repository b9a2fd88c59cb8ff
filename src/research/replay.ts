import { setTimeout as delay } from 'node:timers/promises';
import { createRunner, HOUR_MS, type Observation, type StreamName } from '../../streams/internal.ts';
import { createLoopYield, UNATTENDED_TURN_MS } from '../resilience/loop-yield.ts';
import type { Store } from '../store/store.ts';
import { isReached, type LogPosition } from './log-position.ts';
import { latestStart, type Start } from './replay-start.ts';

/** Lines handed over at once: large enough to be cheap, small enough to keep memory low. */
const BATCH_CHARS = 65_536;

export interface ReplayOptions {
  readonly streams: readonly StreamName[];
  /** The first observation whose outputs are given; the beginning of the log unless given. */
  readonly from?: LogPosition | undefined;
  /** The first one whose outputs are not given. Without it the replay ends at the head as of now. */
  readonly to?: LogPosition | undefined;
  /** How many seconds of the log pass in one second; infinite for no waiting at all. */
  readonly speed: number;
  readonly signal: AbortSignal;
}

function startFor(store: Store, from: LogPosition | undefined): Start {
  // A wall clock may have been set back, so a checkpoint counts by its time only when it lies well before.
  return latestStart(store, ({ seq, at }) => {
    if (from === undefined) return false;
    return from.by === 'seq' ? seq < from.seq : at + HOUR_MS < from.at;
  });
}

/** Waits until an observation is due, counted from the first one, so that delays do not add up. */
function createPace({ speed, signal }: ReplayOptions) {
  let first: { readonly receivedAt: number; readonly startedAt: number } | undefined;
  return {
    waitMs({ receivedAt }: Observation): number {
      if (speed === Number.POSITIVE_INFINITY) return 0;
      first ??= { receivedAt, startedAt: performance.now() };
      return first.startedAt + (receivedAt - first.receivedAt) / speed - performance.now();
    },
    wait: (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined),
  };
}

/** The recomputed outputs of a part of the log as JSON lines, in batches that end with a line feed. */
export async function* replay(store: Store, options: ReplayOptions): AsyncGenerator<string> {
  const { from, to, signal } = options;
  const head = store.journal.head;
  const streams = new Set(options.streams);
  const start = startFor(store, from);
  const { run } = createRunner(start.state);
  const pace = createPace(options);
  const loop = createLoopYield(UNATTENDED_TURN_MS);
  let hasBegun = from === undefined;
  let batch = '';
  for (const observation of store.journal.read(start.seq + 1)) {
    if (observation.seq > head || signal.aborted) break;
    const isPastEnd = to !== undefined && isReached(to, observation);
    if (isPastEnd && (hasBegun || to.by === 'seq')) break;
    const outputs = run(observation);
    hasBegun ||= from !== undefined && isReached(from, observation);
    if (hasBegun) {
      const waitMs = pace.waitMs(observation);
      if (waitMs > 0) {
        if (batch !== '') yield batch;
        batch = '';
        await pace.wait(waitMs);
        if (signal.aborted) break;
      }
      for (const output of outputs) if (streams.has(output.stream)) batch += `${JSON.stringify(output)}\n`;
    }
    if (batch.length >= BATCH_CHARS) {
      yield batch;
      batch = '';
    }
    if (loop.isDue()) await loop.yield();
  }
  if (batch !== '') yield batch;
}
