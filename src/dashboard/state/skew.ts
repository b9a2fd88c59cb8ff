/** Heartbeats that are looked back at. */
const KEPT = 10;

/** How far the server's clock is ahead of ours, from what it says its time is. */
export interface Skew {
  /** The difference in ms, after one more word of the server's clock that was read at `now` of ours. */
  take(serverAt: number, now: number): number;
}

/** A word that was held up on its way tells too little: of the last ones that says most which was quickest. */
export function createSkew(): Skew {
  const last: number[] = [];
  return {
    take(serverAt, now) {
      last.push(serverAt - now);
      if (last.length > KEPT) last.shift();
      return Math.max(...last);
    },
  };
}
