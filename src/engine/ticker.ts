import { concatMap, defer, type Observable, type ObservableInput, repeat, timer } from 'rxjs';
import type { Clock } from './clock.ts';

const SECOND_MS = 1_000;

/**
 * Calls `tick` at each whole second, one call at a time. After a pause of the process there is one late tick, not one
 * for each second missed.
 */
export function ticker(clock: Clock, tick: () => ObservableInput<void>): Observable<void> {
  return defer(() => timer(SECOND_MS - (clock.wall() % SECOND_MS))).pipe(concatMap(tick), repeat());
}
