/** The longest time without yielding where requests are answered on the same thread. */
const TURN_MS = 1;
/** The same where nobody waits for an answer, as in commands that read a whole log. */
export const UNATTENDED_TURN_MS = 20;

/**
 * Gives the event loop a turn whenever a computation has run for some time, so that requests are answered, timers and
 * signals fire and LMDB ends its read transaction. `isDue` is cheap, so a computation may call it at every step.
 */
interface LoopYield {
  isDue(): boolean;
  yield(): Promise<void>;
}

export function createLoopYield(turnMs = TURN_MS): LoopYield {
  let startedAt = performance.now();
  return {
    isDue: () => performance.now() - startedAt > turnMs,
    async yield() {
      await new Promise<void>(afterRequests);
      startedAt = performance.now();
    },
  };
}

/**
 * Calls `goOn` once the requests that have come by now are answered. Work that the disk or the network has called comes before
 * the immediates of its turn of the loop, and these before the loop looks for requests again: one turn is not enough.
 */
export function afterRequests(goOn: () => void): void {
  setImmediate(() => setImmediate(goOn));
}
