import type { Logger } from './logger.ts';

/** Closes what was opened, in reverse order, at a stop or after a failed start. */
export interface Shutdown {
  add(close: () => Promise<unknown>): void;
  /** Closes everything once, even when something fails to close. Rejects with the first failure. */
  run(): Promise<void>;
}

export function createShutdown(): Shutdown {
  const open: (() => Promise<unknown>)[] = [];
  let closed: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of open.reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    add: (close) => void open.push(close),
    run() {
      closed ??= closeAll();
      return closed;
    },
  };
}

/** Opens something. A failed start leaves nothing open. */
export async function openWithShutdown<T>(log: Logger, open: (shutdown: Shutdown) => Promise<T>): Promise<T> {
  const shutdown = createShutdown();
  try {
    return await open(shutdown);
  } catch (error) {
    await shutdown
      .run()
      .catch((reason: unknown) => log.error({ err: reason }, 'closing after a failed start failed'));
    throw error;
  }
}
