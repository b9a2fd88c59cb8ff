interface FrameClock {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => void;
  /** Runs just before the next frame; a hidden tab has no frames until it is shown. */
  readonly beforeFrame: (run: () => void) => void;
}

/** Runs callbacks just before a frame, at least `gapMs` apart. */
export function throttleToFrames(
  gapMs: number,
  { now, after, beforeFrame }: FrameClock,
): (run: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (run) => {
    const draw = () => {
      lastAt = now();
      run();
    };
    const waitMs = lastAt + gapMs - now();
    if (waitMs <= 0) beforeFrame(draw);
    else after(waitMs, () => beforeFrame(draw));
  };
}
