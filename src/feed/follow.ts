import type { Observable, Subscription } from 'rxjs';

/** Calls `handle` for every value. An error of one call is reported, and stops neither the source nor later calls. */
export function follow<T>(
  source$: Observable<T>,
  handle: (value: T) => void,
  report: (error: unknown) => void,
): Subscription {
  return source$.subscribe((value) => {
    try {
      handle(value);
    } catch (error) {
      report(error);
    }
  });
}
