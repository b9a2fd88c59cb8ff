const RETRY_MS = 1_000;

interface RetryingWriter {
  /** Writes until the disk takes it; one write at a time. Rejects after `stop`, or with an error that is no refusal. */
  write(task: () => Promise<unknown>): Promise<void>;
  /** A write that waits is tried once more; from now on a refusal is final. */
  stop(): void;
}

interface RetryOptions {
  /** Called at each refusal; attempts of a write count from 1. */
  readonly onRefused: (error: unknown, attempt: number) => void;
  /** Whether an error may pass by itself. Any other is a bug, which another attempt would only repeat. */
  readonly isRefusal?: (error: unknown) => boolean;
  readonly retryMs?: number | undefined;
}

export function createRetryingWriter({
  onRefused,
  isRefusal = () => true,
  retryMs = RETRY_MS,
}: RetryOptions): RetryingWriter {
  let isStopped = false;
  let wake: () => void = () => undefined;

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, retryMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    async write(task) {
      for (let attempt = 1; ; attempt++) {
        try {
          await task();
          return;
        } catch (error) {
          if (isStopped || !isRefusal(error)) throw error;
          onRefused(error, attempt);
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
