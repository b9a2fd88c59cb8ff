interface Shown {
  readonly lo: number | null;
  readonly hi: number | null;
  readonly edge?: number | null | undefined;
}

export interface Counts {
  readonly own: number | null;
  /** The market pays on this one. */
  readonly oracle: number | null;
}

/** Below this edge a bucket that a count has passed is still being bought by somebody. */
const TRADED_BELOW = -0.01;

/** `dead` is a bucket that cannot win any more and that nobody pays for; while somebody does, it is `passed`. */
export function stateOf(
  { lo, hi, edge }: Shown,
  { own, oracle }: Counts,
): 'passed' | 'dead' | 'current' | 'open' {
  const count = Math.max(own ?? -1, oracle ?? -1);
  if (hi !== null && hi < count) {
    return hi < (oracle ?? -1) && (edge ?? 0) > TRADED_BELOW ? 'dead' : 'passed';
  }
  return lo !== null && lo <= count ? 'current' : 'open';
}
