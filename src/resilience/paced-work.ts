/** The longest time without a pause, ms. */
const SLICE_MS = 1;
/** Other work of the process has the loop to itself for as long between two slices, ms. */
const PAUSE_MS = 8;
/** A timer that fires so much later than it was due shows that others wait for the loop, ms. */
const BUSY_MS = 2;
/** For so long it makes way in all, ms. After that it no longer does: on a machine that is always busy it is to end, too. */
const MOST_WAITED_MS = 20_000;

/** Long work that nobody waits for. */
export interface PacedWork {
  /** False from the moment on that it is over, has failed or was stopped. */
  isUnderWay(): boolean;
  stop(): void;
}

/**
 * Does work in short slices with pauses between them, so that it takes a small share of the thread however long it is, and
 * nobody notices it. While the loop is busy it makes way. A step ends where the work yields. It begins within this call.
 * `now` gives ms that never go back.
 */
export function startPacedWork(
  steps: Iterator<void>,
  report: (error: unknown) => void,
  now = () => performance.now(),
): PacedWork {
  let timer: NodeJS.Timeout | undefined;
  let waitedMs = 0;
  function pause(): void {
    const startedAt = now();
    timer = setTimeout(() => {
      const pausedMs = now() - startedAt;
      if (pausedMs - PAUSE_MS <= BUSY_MS || waitedMs >= MOST_WAITED_MS) {
        slice();
        return;
      }
      waitedMs += pausedMs;
      pause();
    }, PAUSE_MS).unref();
  }
  function slice(): void {
    timer = undefined;
    const startedAt = now();
    try {
      while (steps.next().done !== true) {
        if (now() - startedAt < SLICE_MS) continue;
        pause();
        return;
      }
    } catch (error) {
      report(error);
    }
  }
  slice();
  return {
    isUnderWay: () => timer !== undefined,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
