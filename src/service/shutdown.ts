/** What was opened, to be closed in reverse: by a failed start as by an ordinary stop. */
export interface Shutdown {
  /** Remembers how to close what was just opened. */
  add(close: () => Promise<unknown>): void;
  /** Closes everything once; what fails to close does not keep the rest open. Rejects with the first failure. */
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
