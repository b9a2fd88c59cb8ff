/** The longest time without a pause, ms. */
const SLICE_MS = 2;
/** Other work of the process has the loop to itself for as long between two slices, ms. */
const PAUSE_MS = 8;

/** Long work that nobody waits for. */
export interface PacedWork {
  /** False from the moment on that it is over, has failed or was stopped. */
  isUnderWay(): boolean;
  stop(): void;
}

/**
 * Does work in short slices with pauses between them, so that it takes a small share of the thread however long it is, and
 * nobody notices it. A step ends where the work yields. It begins within this call. `now` gives ms
 * that never go back.
 */
export function startPacedWork(
  steps: Iterator<void>,
  report: (error: unknown) => void,
  now = () => performance.now(),
): PacedWork {
  let timer: NodeJS.Timeout | undefined;
  function slice(): void {
    timer = undefined;
    const startedAt = now();
    try {
      while (steps.next().done !== true) {
        if (now() - startedAt < SLICE_MS) continue;
        timer = setTimeout(slice, PAUSE_MS).unref();
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
