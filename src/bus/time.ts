import { setTimeout as delay } from 'node:timers/promises';

/** The time that this room lives by. */
export interface Time {
  /** Ms on a clock that never goes back and that runs on while the process is frozen. */
  mono(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realTime: Time = {
  mono: () => performance.now(),
  async pause(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  },
};
