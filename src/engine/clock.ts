import { uptime } from 'node:os';

/** Both in ms. `wall` is UTC and may be corrected; `mono` never goes back. */
export interface Clock {
  readonly wall: () => number;
  readonly mono: () => number;
}

/** What the machine tells of the time. */
export interface SystemClock extends Clock {
  /** Ms since the machine was started, its sleep included, which `mono` leaves out. */
  readonly sinceBoot: () => number;
}

export const systemClock: SystemClock = {
  wall: () => Date.now(),
  mono: () => performance.now(),
  sinceBoot: () => uptime() * 1_000,
};
