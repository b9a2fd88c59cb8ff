interface PeriodicWrite {
  /** Starts to write once per period, unless a write is still in progress. */
  start(): void;
  /** Writes after any write in progress. Never rejects: the next write includes what failed. */
  flush(): Promise<void>;
  /** Writes a last time. */
  stop(): Promise<void>;
  /** Passes on the first of several failures in a row. */
  report(error: unknown): void;
}

interface PeriodicWriteOptions {
  readonly everyMs: number;
  /** Has to keep what it could not write for the next call. */
  readonly write: (isLast: boolean) => Promise<void>;
  /** Called with the first of several failures in a row. */
  readonly report: (error: unknown) => void;
}

/** Writes one after the other, so that on a slow disk an older value never overwrites a newer one. */
export function createPeriodicWrite({ everyMs, write, report }: PeriodicWriteOptions): PeriodicWrite {
  let hasFailed = false;
  let inProgress = 0;
  let last = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function reportFirst(error: unknown): void {
    if (!hasFailed) report(error);
    hasFailed = true;
  }

  async function run(isLast: boolean): Promise<void> {
    try {
      await write(isLast);
      hasFailed = false;
    } catch (error) {
      reportFirst(error);
    }
    inProgress -= 1;
  }

  function flush(isLast: boolean): Promise<void> {
    inProgress += 1;
    last = last.then(() => run(isLast));
    return last;
  }

  return {
    start() {
      timer ??= setInterval(() => {
        if (inProgress === 0) void flush(false);
      }, everyMs);
      timer.unref();
    },
    flush: () => flush(false),
    stop() {
      clearInterval(timer);
      return flush(true);
    },
    report: reportFirst,
  };
}
