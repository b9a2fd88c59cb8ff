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
  /** Puts back a job that was taken and not done, unless a newer one has its place. */
  putBack(job: Job): void;
  /** Removes and returns the next job. */
  take(): Job | undefined;
}

/** History can be requested again; live forecasts cannot wait behind more of it. */
const MAX_HISTORY = 8;

/**
 * Jobs that wait for a worker: live forecasts before fits, fits before history, each in order of arrival. A newer
 * live forecast or fit replaces the waiting one for the same event or account, so these two are bounded by their
 * number; history is bounded by `MAX_HISTORY`.
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

/** A forecast that will be scored does not replace the one that is only shown. */
function keyOf(request: ModelRequest): string {
  return request.type === 'fit' ? request.account : `${request.eventId}@${request.horizonHours}`;
}
