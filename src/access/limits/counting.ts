import type { Quotas } from './quotas.ts';
import { type Hour, nextFreeAt } from './sliding-hour.ts';

/** How the gate counts the calls of a caller. `H` is what it needs to count a call, from `ofKey` or `ofAddress`. */
export interface Counting<H> {
  ofKey(id: string): H;
  ofAddress(address: string, now: number): H;
  /**
   * Whether the call is counted; false when the limit is reached. A promise when that has to be asked for. Throws a
   * RequestError when it cannot be told.
   */
  charge(hour: H, now: number, limit: number): boolean | Promise<boolean>;
  /** Takes back the call counted at `at`. */
  refund(hour: H, at: number): void;
  /** Calls that are left. */
  remaining(hour: H, limit: number): number;
  /** When there are more, UTC ms. */
  freeAt(hour: H, limit: number, now: number): number;
}

/** The counting of a machine that serves all callers itself. */
export function countedBy(quotas: Quotas): Counting<Hour> {
  return {
    ofKey: quotas.ofKey,
    ofAddress: quotas.ofAddress,
    charge: quotas.charge,
    refund: quotas.refund,
    // A limit that was lowered may leave more used than it allows.
    remaining: (hour, limit) => Math.max(0, limit - hour.used),
    freeAt: nextFreeAt,
  };
}
