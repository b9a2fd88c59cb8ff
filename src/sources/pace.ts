import { timer } from 'rxjs';
import { SourceError } from '../errors.ts';
import { backoffDelay } from '../resilience/backoff.ts';

interface Turn {
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer serves every account. Such a request goes before those that serve one. */
  readonly isShared?: boolean | undefined;
}

/** The turns in which all accounts ask one host. */
export interface Pace {
  /** The longest wait for a turn when everybody waits for one, in ms, with the gap that was expected. */
  readonly roundMs: number;
  /**
   * Asks when it is the caller's turn. While the host wants to be left alone, whoever it told so, nobody asks: the promise
   * rejects with a SourceError that says for how long.
   */
  run<T>(ask: () => Promise<T>, turn?: Turn): Promise<T>;
  /** Keeps at least this gap from now on, in ms, as the host allows less than was expected. */
  slowTo(gapMs: number): void;
}

interface PaceOptions {
  /** Between two requests, in ms. */
  readonly gapMs?: number | undefined;
  /** The most requests under way. */
  readonly atOnce?: number | undefined;
  /** How many sources ask this host. Each waits for its answer before it asks again. */
  readonly askers?: number | undefined;
  /** Ms on a clock that never goes back. */
  readonly mono?: (() => number) | undefined;
}

/**
 * A host that is slow for many accounts gets slower with each further request, and none would be answered in time. Those
 * who wait for their turn are not late yet.
 */
const AT_ONCE = 16;
/** For a refusal that does not say how long to wait. */
const BACKOFF = { firstMs: 1_000, longestMs: 8_000 };
/** What a host says of its limits may be wrong too. */
const LONGEST_GAP_MS = 10_000;
/** A host may ask for more by mistake. One request after this time shows whether it meant it. */
const LONGEST_HOLD_MS = 60_000;

/**
 * First come, first served: as no source has two requests at a time, each has one turn before any has its next, however
 * many requests it has to make.
 */
export function createPace({
  gapMs: expectedGapMs = 0,
  atOnce = AT_ONCE,
  askers = 0,
  mono = () => performance.now(),
}: PaceOptions = {}): Pace {
  let gapMs = expectedGapMs;
  const shared = new Set<() => void>();
  const single = new Set<() => void>();
  let isResting = false;
  let underWay = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let refusals = 0;

  const isFree = () => !isResting && underWay < atOnce;

  function begin() {
    underWay += 1;
    if (gapMs === 0) return;
    isResting = true;
    timer(gapMs).subscribe(() => {
      isResting = false;
      letNext();
    });
  }

  function end() {
    underWay -= 1;
    letNext();
  }

  function letNext() {
    if (!isFree()) return;
    const [next] = shared.size > 0 ? shared : single;
    next?.();
  }

  /** Resolves at once, or when those before have had their turns. Nobody waits while there is a turn to be had. */
  function turnOf({ signal, isShared = false }: Turn): Promise<void> {
    if (isFree()) {
      begin();
      return Promise.resolve();
    }
    const queue = isShared ? shared : single;
    return new Promise((resolve, reject) => {
      function leave() {
        queue.delete(start);
        reject(new SourceError('SOURCE_NETWORK', 'the request was given up before its turn'));
      }
      function start() {
        queue.delete(start);
        signal?.removeEventListener('abort', leave);
        begin();
        resolve();
      }
      queue.add(start);
      signal?.addEventListener('abort', leave, { once: true });
      if (signal?.aborted === true) leave();
    });
  }

  function checkHold() {
    const leftMs = heldUntil - mono();
    if (leftMs <= 0) return;
    const message = `the host refuses requests, so none is made for ${Math.ceil(leftMs)} ms`;
    throw new SourceError('SOURCE_STATUS', message, { status: 429, retryAfterMs: leftMs });
  }

  async function answerOf<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask();
      refusals = 0;
      return answer;
    } catch (error) {
      const isRefused =
        error instanceof SourceError && (error.status === 429 || error.retryAfterMs !== undefined);
      if (isRefused) {
        refusals += 1;
        const askedMs = error.retryAfterMs ?? backoffDelay(BACKOFF, refusals);
        heldUntil = Math.max(heldUntil, mono() + Math.min(LONGEST_HOLD_MS, askedMs));
      }
      throw error;
    }
  }

  return {
    roundMs: expectedGapMs * askers,
    slowTo(leastMs) {
      gapMs = Math.max(gapMs, Math.min(LONGEST_GAP_MS, leastMs));
    },
    async run(ask, turn = {}) {
      checkHold();
      await turnOf(turn);
      try {
        // Somebody may have been refused meanwhile.
        checkHold();
        return await answerOf(ask);
      } finally {
        end();
      }
    },
  };
}
