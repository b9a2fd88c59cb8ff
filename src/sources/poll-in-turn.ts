import { concatMap, defer, filter, finalize, ignoreElements, map, merge, Observable, timer } from 'rxjs';

interface Job {
  readonly periodMs: number;
  readonly read: (signal: AbortSignal) => Promise<void>;
}

/** Runs `read` when subscribed. Unsubscribing aborts its signal, and with it the request it waits for. */
export function runOnce(read: (signal: AbortSignal) => Promise<void>): Observable<never> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    read(controller.signal).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => controller.abort();
  });
}

/**
 * Runs every job at once and then each period, in the order given and never two at a time. A job that is
 * still waiting or running when it falls due again skips that turn, so the queue is as long as the list.
 */
export function pollInTurn(...jobs: readonly Job[]): Observable<never> {
  return defer(() => {
    const queued = new Set<Job>();
    return merge(...jobs.map((job) => timer(0, job.periodMs).pipe(map(() => job)))).pipe(
      filter((job) => !queued.has(job)),
      map((job) => {
        queued.add(job);
        return job;
      }),
      concatMap((job) => runOnce(job.read).pipe(finalize(() => queued.delete(job)))),
      ignoreElements(),
    );
  });
}
