export interface ReconnectOptions {
  /** The least wait before another try. */
  readonly minMs: number;
  readonly maxMs: number;
}

export const RECONNECT: ReconnectOptions = { minMs: 500, maxMs: 30_000 };

/**
 * Wait before try `attempt` (from 0) after a loss: anywhere between the least wait and a bound that doubles, so that
 * readers who were all cut off at once do not all come back at once. `random` is in [0, 1).
 */
export function reconnectDelay({ minMs, maxMs }: ReconnectOptions, attempt: number, random: number): number {
  const bound = Math.min(maxMs, 2 * minMs * 2 ** Math.min(attempt, 30));
  return Math.round(minMs + random * Math.max(0, bound - minMs));
}
