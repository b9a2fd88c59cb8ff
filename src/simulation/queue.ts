import type { ModelRequest } from '../../streams/internal.ts';

/** A request, the seq of the observation that caused it, and how often it was tried. */
export interface Job {
  readonly request: ModelRequest;
  readonly askedSeq: number;
  readonly attempts: number;
}

interface JobQueue {
  /** Returns false when the job was refused: only a forecast about the past is, when too many of them wait. */
  add(job: Job): boolean;
  /** Puts back a job that failed, unless a newer one has replaced it. */
  putBack(job: Job): void;
  take(): Job | undefined;
}

/** The most waiting forecasts about the past. They can be requested again. */
const MAX_HISTORY = 8;

/**
 * Jobs that wait for a worker: live forecasts first, then fits, then forecasts about the past, each in order of arrival.
 * A newer job replaces the waiting one for the same event or account, so at most one waits for each.
 */
export function createJobQueue(): JobQueue {
  const live = new Map<string, Job>();
  const fits = new Map<string, Job>();
  const history = new Map<string, Job>();

  function waitingLike({ request }: Job): Map<string, Job> {
    if (request.type === 'fit') return fits;
    return request.origin === 'live' ? live : history;
  }

  return {
    add(job) {
      const waiting = waitingLike(job);
      const key = keyOf(job.request);
      if (waiting === history && !waiting.has(key) && waiting.size >= MAX_HISTORY) return false;
      waiting.set(key, job);
      return true;
    },
    putBack(job) {
      const waiting = waitingLike(job);
      const key = keyOf(job.request);
      if (!waiting.has(key)) waiting.set(key, job);
    },
    take() {
      for (const waiting of [live, fits, history]) {
        for (const [key, job] of waiting) {
          waiting.delete(key);
          return job;
        }
      }
      return undefined;
    },
  };
}

/** A forecast for a horizon does not replace the live one. */
function keyOf(request: ModelRequest): string {
  return request.type === 'fit' ? request.account : `${request.eventId}@${request.horizonHours}`;
}
