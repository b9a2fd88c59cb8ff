/** The two times a machine has: what the calendar says, and what only ever goes forward. Both in ms. */
export interface Clock {
  readonly wall: () => number;
  readonly mono: () => number;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  mono: () => performance.now(),
};
