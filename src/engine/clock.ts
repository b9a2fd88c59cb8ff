/** `wall` is UTC and may be corrected; `mono` only ever goes forward. Both in ms. */
export interface Clock {
  readonly wall: () => number;
  readonly mono: () => number;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  mono: () => performance.now(),
};
