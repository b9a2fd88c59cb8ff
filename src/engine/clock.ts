/** Both in ms. `wall` is UTC and may be corrected; `mono` never goes back. */
export interface Clock {
  readonly wall: () => number;
  readonly mono: () => number;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  mono: () => performance.now(),
};
