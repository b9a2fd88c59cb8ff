import { defer, distinctUntilChanged, EMPTY, map, type Observable, switchMap, timer } from 'rxjs';

/** How often it is looked whether work may go on. */
const LOOK_MS = 50;

/**
 * Runs `work$` while it is allowed, and stops it when it no longer is. It is only begun again when what it left behind is
 * settled, so that it finds all of it done.
 */
export function whileAllowed(
  isAllowed: () => boolean,
  settled: () => Promise<void>,
  work$: Observable<never>,
): Observable<never> {
  return timer(0, LOOK_MS).pipe(
    map(isAllowed),
    distinctUntilChanged(),
    switchMap((isNow) => (isNow ? defer(settled).pipe(switchMap(() => work$)) : EMPTY)),
  );
}
