import type { AccountId, ModelRequest } from '../../streams/internal.ts';

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

/** The most waiting forecasts about the past, four for each of a thousand accounts. They can be requested again. */
const MAX_HISTORY = 4_000;
/** After so many live forecasts in a row one other job is done, so that those wait long but not for ever. */
const MOST_IN_A_ROW = 50;

/**
 * Jobs that wait for a worker: live forecasts first, then fits, then forecasts about the past, each in order of arrival.
 * A newer job takes the place of the waiting one for the same event or account, so at most one waits for each, and none
 * has to wait longer because others are asked for more often. The past of one account is forecast before that of the
 * next, as forecasts of the same weeks share their fits.
 */
export function createJobQueue(): JobQueue {
  const live = new Map<string, Job>();
  const fits = new Map<string, Job>();
  const history = new Map<string, Job>();
  let inARow = 0;
  let lastAccount: AccountId | undefined;

  function waitingLike({ request }: Job): Map<string, Job> {
    if (request.type === 'fit') return fits;
    return request.origin === 'live' ? live : history;
  }

  function nextOfHistory(): Job | undefined {
    let next = first(history);
    for (const job of history.values()) {
      if (job.request.account !== lastAccount) continue;
      next = job;
      break;
    }
    lastAccount = next?.request.account;
    return next;
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
      const others = fits.size > 0 ? fits : history;
      const isTheirTurn = others.size > 0 && inARow >= MOST_IN_A_ROW;
      const waiting = live.size > 0 && !isTheirTurn ? live : others;
      inARow = waiting === live ? inARow + 1 : 0;
      const job = waiting === history ? nextOfHistory() : first(waiting);
      if (job !== undefined) waiting.delete(keyOf(job.request));
      return job;
    },
  };
}

function first(waiting: ReadonlyMap<string, Job>): Job | undefined {
  for (const job of waiting.values()) return job;
  return undefined;
}

/** A forecast for a horizon does not replace the live one. */
function keyOf(request: ModelRequest): string {
  return request.type === 'fit' ? request.account : `${request.eventId}@${request.horizonHours}`;
}
