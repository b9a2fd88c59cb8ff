const RETRY_MS = 1_000;

export interface RetryingWriter {
  /** Retries until the write succeeds. Rejects after `stop`, or with an error that is no refusal. */
  write(task: () => Promise<unknown>): Promise<void>;
  /** Retries the waiting writes at once, and no longer retries after that. */
  stop(): void;
}

interface RetryOptions {
  /** Called at each refusal. The attempts of a write are counted from 1. */
  readonly onRefused: (error: unknown, attempt: number) => void;
  /** Whether a retry may help. Any other error is a bug, which a retry would only repeat. */
  readonly isRefusal?: (error: unknown) => boolean;
  readonly retryMs?: number | undefined;
}

/** Reports the first refusal of each write. */
export function firstRefusal(report: (error: unknown) => void): RetryOptions['onRefused'] {
  return (error, attempt) => {
    if (attempt === 1) report(error);
  };
}

export function createRetryingWriter({
  onRefused,
  isRefusal = () => true,
  retryMs = RETRY_MS,
}: RetryOptions): RetryingWriter {
  let isStopped = false;
  const wakes = new Set<() => void>();

  const pause = () =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, retryMs);
      wakes.add(wake);
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
      for (const wake of wakes) wake();
    },
  };
}
