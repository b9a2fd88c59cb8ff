/** Number of heartbeats that are compared. */
const KEPT = 10;

/** How far the server's clock is ahead of the browser's. */
interface ClockOffset {
  /** The offset in ms, after one more heartbeat with the time `serverAt` that arrived at `now`. */
  update(serverAt: number, now: number): number;
}

/** A delay on the way makes the offset look smaller, so the largest of the last offsets is the best. */
export function createClockOffset(): ClockOffset {
  const last: number[] = [];
  return {
    update(serverAt, now) {
      last.push(serverAt - now);
      if (last.length > KEPT) last.shift();
      return Math.max(...last);
    },
  };
}
