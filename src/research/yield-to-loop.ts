import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 20;

/**
 * Lets timers and signals in, and LMDB end its read transaction, whenever a computation has run for 20 ms.
 * `isDue` is cheap, so a loop may ask at every step.
 */
export interface Breath {
  isDue(): boolean;
  take(): Promise<void>;
}

export function createBreath(): Breath {
  let startedAt = performance.now();
  return {
    isDue: () => performance.now() - startedAt > TURN_MS,
    async take() {
      await nextTurn();
      startedAt = performance.now();
    },
  };
}
