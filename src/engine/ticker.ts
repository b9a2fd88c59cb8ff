import { concatMap, defer, type Observable, type ObservableInput, repeat, timer } from 'rxjs';
import type { Clock } from './clock.ts';

const SECOND_MS = 1_000;
/** Real time between two ticks of a calendar that is sped up: more would show nothing more, and each is written. */
const SHORTEST_MS = 250;

/**
 * Calls `tick` at each whole second, one call at a time. After a pause of the process there is one late tick, not one
 * for each second missed. A calendar that runs `speed` times as fast has as many seconds between two ticks as it needs.
 * With `everyMs` ticks are that far apart.
 */
export function ticker(
  clock: Clock,
  tick: () => ObservableInput<void>,
  speed = 1,
  everyMs = SECOND_MS,
): Observable<void> {
  const tickMs = Math.max(everyMs, speed * SHORTEST_MS);
  return defer(() => timer((tickMs - (clock.wall() % tickMs)) / speed)).pipe(concatMap(tick), repeat());
}
