/** Which parts of the product an account has. */
export interface AccountPolicy {
  /** Whether PRO predictions include the posts of the last hour (spec 2.4). */
  readonly hasVelocity: boolean;
  /** Whether positions of a wallet are sized for a bankroll (spec 4, endpoint 10). */
  readonly hasSizing: boolean;
  /** Whether there is an endpoint that says what to change in a wallet (spec 4, endpoint 11). */
  readonly hasRebalancing: boolean;
  /** Whether signals are BUY, HOLD and SKIP, and never SELL (spec 2.5). */
  readonly isBuyOnly: boolean;
}

/** A tracked account as callers know it. */
export interface PublicAccount {
  readonly id: string;
  /** Its name in paths and on channels. */
  readonly segment: string;
  /** Its name for people. */
  readonly name: string;
  readonly policy: AccountPolicy;
}
