import { createHash } from 'node:crypto';
import { createRunner, type Output } from '../../../streams/internal.ts';
import { createLoopYield, UNATTENDED_TURN_MS } from '../../resilience/loop-yield.ts';
import type { Store } from '../../store/store.ts';
import { earliestStart } from '../replay-start.ts';

interface Reading {
  /** Nothing that was received from then on is read. UTC ms. */
  readonly toAt?: number | undefined;
  readonly onOutput: (time: number, output: Output) => void;
  readonly onProgress: (seq: number, head: number) => void;
  readonly signal: AbortSignal;
}

/** What was read of a log. */
export interface ReadLog {
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** Over the observations, each as a line of JSON. */
  readonly sha256: string;
}

interface Place {
  readonly seq: number;
  readonly at: number;
}

/**
 * Gives every output of the log, in the order in which the engine emitted it, with the time at which its cause was
 * received. The outputs are computed again, which gives the bytes that the engine stored and those it only published,
 * such as signals.
 */
export async function readOutputs(store: Store, options: Reading): Promise<ReadLog> {
  const { toAt = Number.POSITIVE_INFINITY, onOutput, onProgress, signal } = options;
  const { head } = store.journal;
  const start = earliestStart(store);
  const { run } = createRunner(start.state);
  const hash = createHash('sha256');
  const loop = createLoopYield(UNATTENDED_TURN_MS);
  let first: Place | null = null;
  let last: Place | null = null;
  for (const observation of store.journal.read(start.seq + 1)) {
    const { seq, receivedAt } = observation;
    if (seq > head || receivedAt >= toAt) break;
    hash.update(`${JSON.stringify(observation)}\n`);
    const place = { seq, at: receivedAt };
    first ??= place;
    last = place;
    for (const output of run(observation)) onOutput(receivedAt, output);
    if (!loop.isDue()) continue;
    onProgress(seq, head);
    await loop.yield();
    signal.throwIfAborted();
  }
  return {
    ...{ firstSeq: first?.seq ?? null, lastSeq: last?.seq ?? null },
    ...{ firstAt: first?.at ?? null, lastAt: last?.at ?? null, sha256: hash.digest('hex') },
  };
}
