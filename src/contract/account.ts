/** Parts of a prediction that are for PRO unless an account shows them to everyone. */
export const FREE_FIELDS = ['velocity', 'sleep_probability', 'forecast', 'model_prob'] as const;
export type FreeField = (typeof FREE_FIELDS)[number];

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
  /** What FREE sees of predictions beyond counters, time left and prices (spec 2.4). */
  readonly freeFields: readonly FreeField[];
}

/** What an account has or lacks. */
export type PolicyFlag = Exclude<keyof AccountPolicy, 'freeFields'>;

/** A tracked account as callers know it. */
export interface PublicAccount {
  readonly id: string;
  /** Its name in paths and on channels. */
  readonly segment: string;
  /** Its name for people. */
  readonly name: string;
  readonly policy: AccountPolicy;
}
