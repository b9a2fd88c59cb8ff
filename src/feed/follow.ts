import type { Observable, Subscription } from 'rxjs';

/** Calls `handle` for every value. An error is reported, and later values are handled all the same. */
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
