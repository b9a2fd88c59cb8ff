interface PeriodicWrite {
  /** From now on writes once per period, unless a write is still under way. */
  start(): void;
  /** Writes after any write under way. Never rejects: what failed is for the next write. */
  flush(): Promise<void>;
  /** Writes a last time. */
  stop(): Promise<void>;
  /** Passes on the first of several failures in a row. */
  report(error: unknown): void;
}

interface PeriodicWriteOptions {
  readonly everyMs: number;
  /** Keeps for the next call what it could not write. */
  readonly write: (isLast: boolean) => Promise<void>;
  /** Called with the first of several failures in a row. */
  readonly report: (error: unknown) => void;
}

/** Writes one after the other: a slow disk must not let an older value overtake a newer one. */
export function createPeriodicWrite({ everyMs, write, report }: PeriodicWriteOptions): PeriodicWrite {
  let hasFailed = false;
  let underWay = 0;
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
    underWay -= 1;
  }

  function flush(isLast: boolean): Promise<void> {
    underWay += 1;
    last = last.then(() => run(isLast));
    return last;
  }

  return {
    start() {
      timer ??= setInterval(() => {
        if (underWay === 0) void flush(false);
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
