import { setImmediate as nextTurn } from 'node:timers/promises';

const MOST_MS = 20;

/**
 * Gives the event loop a turn whenever a computation has run for 20 ms, so that timers and signals fire and LMDB
 * ends its read transaction. `isDue` is cheap, so a computation may call it at every step.
 */
interface LoopYield {
  isDue(): boolean;
  yield(): Promise<void>;
}

export function createLoopYield(): LoopYield {
  let startedAt = performance.now();
  return {
    isDue: () => performance.now() - startedAt > MOST_MS,
    async yield() {
      await nextTurn();
      startedAt = performance.now();
    },
  };
}
