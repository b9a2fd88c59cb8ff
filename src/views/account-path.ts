import type { AccountId } from '../../streams/internal.ts';

/** A tracked account and its path segment. */
export interface AccountPath {
  readonly id: AccountId;
  readonly segment: string;
  /** Whether its signals are BUY, HOLD and SKIP, and never SELL (spec 2.5). */
  readonly isBuyOnly?: boolean;
}
