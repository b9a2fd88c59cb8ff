import { concatMap, defer, type Observable, type ObservableInput, repeat, timer } from 'rxjs';
import type { Clock } from './clock.ts';

const SECOND_MS = 1_000;

/**
 * Calls `tick` at each whole second. A process that was paused ticks once, late, and the next tick waits for the
 * one under way: time is never caught up in a burst.
 */
export function ticker(clock: Clock, tick: () => ObservableInput<void>): Observable<void> {
  return defer(() => timer(SECOND_MS - (clock.wall() % SECOND_MS))).pipe(concatMap(tick), repeat());
}
