/** How long a write that the disk refused waits before it is tried again. */
const RETRY_MS = 1_000;

export interface RetryingWriter {
  /** Writes until the disk takes it. Rejects only after the end. */
  insist(write: () => Promise<unknown>): Promise<void>;
  /** What is refused from now on is given up, what waits is tried once more. */
  stop(): void;
}

/** `report` is told of the first refusal of each write. */
export function createRetryingWriter(report: (error: unknown) => void): RetryingWriter {
  let isStopped = false;
  let wake: () => void = () => undefined;

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    async insist(write) {
      for (let attempt = 0; ; attempt++) {
        try {
          await write();
          return;
        } catch (error) {
          if (isStopped) throw error;
          if (attempt === 0) report(error);
          await pause();
        }
      }
    },
    stop() {
      isStopped = true;
      wake();
    },
  };
}
