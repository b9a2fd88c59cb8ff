import type { ModelRequest } from '../../streams/internal.ts';

/** A request, the observation that made it, and how often it was tried. */
export interface Job {
  readonly request: ModelRequest;
  readonly askedSeq: number;
  readonly attempts: number;
}

export interface SimulatorQueue {
  /** Takes a job, or returns the one that had to go: a full queue refuses history. */
  add(job: Job): Job | undefined;
  /** Puts a job back that was taken and not done, unless a newer one has its place. */
  giveBack(job: Job): void;
  /** The job whose turn it is, which leaves the queue. */
  take(): Job | undefined;
}

/** History can be asked for again; what is published now cannot wait behind more of it. */
const MAX_HISTORY = 8;

/**
 * Jobs that wait for a worker: live forecasts before fits, fits before history, each in the order asked. A newer
 * live forecast or fit takes the place of the waiting one for the same thing, so these two are bounded by the
 * number of events and accounts; history is bounded by `MAX_HISTORY`.
 */
export function createSimulatorQueue(): SimulatorQueue {
  const live = new Map<string, Job>();
  const fits = new Map<string, Job>();
  const history = new Map<string, Job>();

  function lineOf({ request }: Job): Map<string, Job> {
    if (request.type === 'fit') return fits;
    return request.origin === 'live' ? live : history;
  }

  return {
    add(job) {
      const line = lineOf(job);
      const key = keyOf(job.request);
      if (line === history && !line.has(key) && line.size >= MAX_HISTORY) return job;
      line.set(key, job);
      return undefined;
    },
    giveBack(job) {
      const line = lineOf(job);
      const key = keyOf(job.request);
      if (!line.has(key)) line.set(key, job);
    },
    take() {
      for (const line of [live, fits, history]) {
        for (const [key, job] of line) {
          line.delete(key);
          return job;
        }
      }
      return undefined;
    },
  };
}

/** A forecast that will be scored is another thing than the one that is only shown. */
function keyOf(request: ModelRequest): string {
  return request.type === 'fit' ? request.account : `${request.eventId}@${request.horizonHours}`;
}
