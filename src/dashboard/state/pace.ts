/** What a page can do only now and then. */
export interface Pacing {
  readonly now: () => number;
  readonly later: (run: () => void, ms: number) => void;
  /** Just before the next frame; in a tab that nobody sees there is none until somebody does. */
  readonly beforeFrame: (run: () => void) => void;
}

/** Runs what it is given just before a frame, and no more often than each `gapMs`. */
export function paced(gapMs: number, { now, later, beforeFrame }: Pacing): (run: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (run) => {
    const draw = () => {
      lastAt = now();
      run();
    };
    const waitMs = lastAt + gapMs - now();
    if (waitMs <= 0) beforeFrame(draw);
    else later(() => beforeFrame(draw), waitMs);
  };
}
