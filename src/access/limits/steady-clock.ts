/** UTC ms that go on evenly from the start, whatever the system clock is set to later. */
export function steadyClock(clock: {
  readonly wall: () => number;
  readonly mono: () => number;
}): () => number {
  const offsetMs = clock.wall() - clock.mono();
  return () => offsetMs + clock.mono();
}
