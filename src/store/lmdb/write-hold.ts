import { setTimeout as delay } from 'node:timers/promises';

/** Lets writes pass, and holds them back while something needs that nobody writes. */
export interface WriteHold {
  /** Calls `begin`: at once, or else in the order of the calls when writes are no longer held back. */
  write<T>(begin: () => Promise<T>): Promise<T>;
  /**
   * Calls `act` while no write is under way, one after the other, and writes that waited go first. Resolves to false
   * without a call when those under way do not end: a disk that takes none must not keep others from being refused.
   */
  whileHeld(act: () => Promise<void>): Promise<boolean>;
}

/** How long writes under way are waited for, ms. */
const LONGEST_WAIT_MS = 1_000;

export function createWriteHold(longestWaitMs = LONGEST_WAIT_MS): WriteHold {
  let underWay = 0;
  let onLastEnded: () => void = () => undefined;
  /** Resolves when writes may begin again; undefined while they may. */
  let held: Promise<void> | undefined;
  let lastHold: Promise<unknown> = Promise.resolve();

  function ended(): void {
    underWay -= 1;
    if (underWay === 0) onLastEnded();
  }

  function write<T>(begin: () => Promise<T>): Promise<T> {
    if (held !== undefined) return held.then(() => write(begin));
    underWay += 1;
    return begin().finally(ended);
  }

  async function untilNoneIsUnderWay(): Promise<boolean> {
    if (underWay === 0) return true;
    const waiting = new AbortController();
    const { signal } = waiting;
    const last = new Promise<boolean>((resolve) => {
      onLastEnded = () => resolve(true);
    });
    const isOver = await Promise.race([last, delay(longestWaitMs, false, { signal })]);
    waiting.abort();
    return isOver;
  }

  async function hold(act: () => Promise<void>): Promise<boolean> {
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    try {
      if (!(await untilNoneIsUnderWay())) return false;
      await act();
      return true;
    } finally {
      held = undefined;
      onLastEnded = () => undefined;
      release();
    }
  }

  return {
    write,
    whileHeld(act) {
      const held = lastHold.then(() => hold(act));
      lastHold = held.catch(() => undefined);
      return held;
    },
  };
}
