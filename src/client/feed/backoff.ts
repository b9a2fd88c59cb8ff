export interface ReconnectOptions {
  /** The shortest wait before another attempt. */
  readonly minMs: number;
  readonly maxMs: number;
  /** How long the other side may take to answer an attempt; 10 s without it. */
  readonly handshakeMs?: number;
}

export const RECONNECT: ReconnectOptions = { minMs: 500, maxMs: 30_000 };

/**
 * Wait before attempt `attempt` (from 0) after a loss: at random between the shortest wait and a bound that doubles,
 * so that readers who lost their connection at the same moment do not all return at the same moment. `random` is in
 * [0, 1).
 */
export function reconnectDelay({ minMs, maxMs }: ReconnectOptions, attempt: number, random: number): number {
  const bound = Math.min(maxMs, 2 * minMs * 2 ** Math.min(attempt, 30));
  return Math.round(minMs + random * Math.max(0, bound - minMs));
}
