import {
  concatMap,
  defer,
  filter,
  ignoreElements,
  map,
  merge,
  mergeAll,
  mergeMap,
  Observable,
  Subject,
  timer,
} from 'rxjs';
import { isRefusal } from './read-payload.ts';
import { secondPollMs } from './spread.ts';

interface Job {
  readonly periodMs: number;
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** Asked after it was run: the time after which it is to be run again, if sooner than with its period. */
  readonly againInMs?: () => number | undefined;
}

/** Runs `read` when subscribed. Unsubscribing aborts its signal, and with it the request it waits for. */
export function runOnce(read: (signal: AbortSignal) => Promise<void>): Observable<never> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    let isOver = false;
    read(controller.signal).then(
      () => {
        isOver = true;
        subscriber.complete();
      },
      (error: unknown) => {
        isOver = true;
        subscriber.error(error);
      },
    );
    return () => {
      if (!isOver) controller.abort();
    };
  });
}

/**
 * Runs every job at once and then each period, in the order given and never two at a time. A job that is
 * still waiting or running when it falls due again skips that turn, so the queue is as long as the list.
 * `spread` shortens the first period of each job, so that those which begin together do not stay together.
 */
export function pollInTurn(jobs: readonly Job[], spread = 0): Observable<never> {
  return poll(jobs, () => false, spread);
}

/**
 * Polls in turn, but fails with a refused answer only after the jobs that wait have had their turn: otherwise a job
 * whose answers are always refused would keep the jobs behind it from ever being run.
 */
export function pollDespiteRefusals(jobs: readonly Job[]): Observable<never> {
  return poll(jobs, isRefusal, 0);
}

function poll(jobs: readonly Job[], mayWait: (error: unknown) => boolean, spread: number): Observable<never> {
  return defer(() => {
    const queued = new Set<Job>();
    const soon = new Subject<Observable<Job>>();
    let failed: { readonly error: unknown; readonly waiting: Set<Job> } | undefined;

    async function run(job: Job, signal: AbortSignal): Promise<void> {
      try {
        await job.read(signal);
      } catch (error) {
        if (!mayWait(error)) throw error;
        failed ??= { error, waiting: new Set(queued) };
      } finally {
        queued.delete(job);
      }
      const againInMs = job.againInMs?.();
      if (againInMs !== undefined) soon.next(timer(againInMs).pipe(map(() => job)));
      failed?.waiting.delete(job);
      if (failed?.waiting.size === 0) throw failed.error;
    }

    // All at once, so that the first cannot fail before the others wait.
    const first$ = timer(0).pipe(mergeMap(() => jobs));
    const again$ = jobs.map((job) =>
      timer(secondPollMs(job.periodMs, spread), job.periodMs).pipe(map(() => job)),
    );
    return merge(first$, ...again$, soon.pipe(mergeAll())).pipe(
      filter((job) => !queued.has(job)),
      map((job) => {
        queued.add(job);
        return job;
      }),
      concatMap((job) => runOnce((signal) => run(job, signal))),
      ignoreElements(),
    );
  });
}
