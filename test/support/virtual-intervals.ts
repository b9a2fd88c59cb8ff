/** Intervals that a test moves by hand. RxJS builds every timer of these. */
export interface VirtualIntervals {
  /** Runs what falls due within the next `ms`, in order. */
  advance(ms: number): void;
  restore(): void;
}

interface Interval {
  dueAt: number;
  readonly periodMs: number;
  readonly run: () => void;
}

/** Replaces the intervals of this process until they are restored. */
export function takeIntervals(): VirtualIntervals {
  const { setInterval, clearInterval } = globalThis;
  const waiting = new Map<unknown, Interval>();
  let now = 0;
  const next = (until: number) =>
    [...waiting.values()].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0];
  Object.assign(globalThis, {
    setInterval(run: () => void, periodMs = 0) {
      const handle = {};
      waiting.set(handle, { dueAt: now + periodMs, periodMs: Math.max(1, periodMs), run });
      return handle;
    },
    clearInterval(handle: NodeJS.Timeout) {
      // One that began before is a real one, and would go on for ever.
      if (!waiting.delete(handle)) clearInterval(handle);
    },
  });
  return {
    advance(ms) {
      const until = now + ms;
      for (let due = next(until); due !== undefined; due = next(until)) {
        now = due.dueAt;
        due.dueAt += due.periodMs;
        due.run();
      }
      now = until;
    },
    restore: () => Object.assign(globalThis, { setInterval, clearInterval }),
  };
}
