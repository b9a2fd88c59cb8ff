/** A clock that shows the same as `now` at `fromAt` (UTC ms) and runs `speed` times as fast from then on. */
export function spedUp(now: () => number, fromAt: number, speed: number): () => number {
  return () => Math.floor(fromAt + (now() - fromAt) * speed);
}
