interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Ms to wait after `failures` in a row: doubles with each from `firstMs` up to `longestMs`. */
export function backoffDelay({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/** A random time below `backoffDelay`, so that many callers do not retry together. `random` gives [0, 1). */
export function jitteredDelay(backoff: Backoff, failures: number, random: () => number): number {
  return random() * backoffDelay(backoff, failures);
}
