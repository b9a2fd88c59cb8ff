import type { Place } from '../../bus/bus.ts';
import { closedError } from '../../bus/bus-error.ts';
import { isRefusedWrite } from '../../errors.ts';
import { createRetryingWriter, firstRefusal } from '../../resilience/retry-write.ts';
import { type AccessChange, decodeAccessEntry, encodeAccessEntry } from '../entries/access-entry.ts';
import { type AccessStore, applyChange, type ChangeOf, type ChangeResults, inOrder } from './apply-change.ts';

/** Changes what is kept of callers, on the bus first and then in the leader's own store. */
export interface AccessLog {
  /**
   * Resolves to the result once the change is on the bus and on disk; changes are made in the order of the calls. Tries
   * again through outages of the bus and on a full disk. Rejects for good once the term is over.
   */
  make<Op extends AccessChange['op']>(change: ChangeOf<Op>): Promise<ChangeResults[Op]>;
  /** Resolves once nothing is under way. Later changes are refused. */
  close(): Promise<void>;
}

interface AccessLogDeps {
  readonly store: AccessStore;
  /** Appends an entry of the kind `access` in the leader's term. */
  readonly append: (bytes: Uint8Array) => Promise<Place>;
  /** Told that the entry at a place is in the store. Until then the store's own place must not pass it. */
  readonly applied: (place: Place) => void;
  /** Receives refused writes, which are tried again, of each the first. */
  readonly report: (error: unknown) => void;
  /** Called once, when a change that is on the bus can never be made here: this engine cannot go on without it. */
  readonly broken?: ((error: unknown) => void) | undefined;
  readonly retryMs?: number;
}

interface Waiting {
  readonly change: AccessChange;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** So that an entry stays small enough to be sent at once. */
const MOST_CHANGES = 500;

/** The leader's side: what comes while an entry is under way goes into the next one, as every entry costs a commit. */
export function openAccessLog(deps: AccessLogDeps): AccessLog {
  const { store, append, applied, report, broken = () => undefined, retryMs } = deps;
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isClosing = false;
  const writer = createRetryingWriter({
    onRefused: firstRefusal(report),
    isRefusal: isRefusedWrite,
    retryMs,
  });

  function breakWith(error: unknown): never {
    // At the end a refused write is not tried again.
    if (!isClosing) broken(error);
    throw error;
  }

  async function makeAll(batch: readonly Waiting[]): Promise<void> {
    const changes = batch.map(({ change }) => change);
    const place = await append(encodeAccessEntry(changes));
    const results: ChangeResults[keyof ChangeResults][] = [];
    await inOrder(changes, (change, index) =>
      writer.write(async () => {
        results[index] = await applyChange(store, change);
      }),
    ).catch(breakWith);
    applied(place);
    // The result of a change is of its kind.
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never);
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_CHANGES);
      try {
        if (failure !== undefined) throw failure.error;
        await makeAll(batch);
      } catch (error) {
        // What is on the bus and not in the store would be missing, so nothing is made any more.
        failure ??= { error };
        for (const { reject } of batch) reject(error);
      }
    }
    running = undefined;
  }

  return {
    make: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        // Not at once: what is asked for in the same turn of the loop goes into one entry.
        running ??= Promise.resolve().then(run);
      }),
    async close() {
      isClosing = true;
      writer.stop();
      await running;
      failure ??= { error: closedError() };
    },
  };
}

/** The standby's side: makes the changes of an entry in its own store. Resolves once they are on disk. */
export async function applyAccessEntry(store: AccessStore, bytes: Uint8Array): Promise<void> {
  await inOrder(decodeAccessEntry(bytes), async (change) => {
    await applyChange(store, change);
  });
}
