import type { Clock } from '../../src/engine/clock.ts';

export interface ManualClock extends Clock {
  /** Lets time pass on both clocks. */
  advance(ms: number): void;
  /** Corrects the calendar only. */
  step(ms: number): void;
}

export function manualClock(wallAt: number): ManualClock {
  let wall = wallAt;
  let mono = 5_000;
  return {
    wall: () => wall,
    mono: () => mono,
    advance(ms) {
      wall += ms;
      mono += ms;
    },
    step(ms) {
      wall += ms;
    },
  };
}
