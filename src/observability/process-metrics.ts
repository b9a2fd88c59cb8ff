import { collectDefaultMetrics, Registry } from 'prom-client';

let made: Registry | undefined;

/**
 * Memory, CPU, event-loop delay and GC of the process. Nothing ends the timer and the observer that these take, so they are
 * made once, however many services the process opens.
 */
export function processMetrics(): Registry {
  if (made === undefined) {
    made = new Registry();
    collectDefaultMetrics({ register: made });
  }
  return made;
}
