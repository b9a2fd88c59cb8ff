import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time without yielding, as requests are answered on the same thread. */
const TURN_MS = 2;

/** To be awaited at every step of a long computation: yields to the event loop when it is time. */
export function createLoopYield(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < TURN_MS) return;
    await nextTurn();
    startedAt = performance.now();
  };
}
