/** Fields of a prediction and of its buckets that are for PRO unless an account shows them to everyone (spec 2.4). */
export const PAID_FIELDS = [
  'velocity_counted_1h',
  'velocity_all_1h',
  'forecast',
  'settlement',
  'sleep_probability',
  'model_version',
  'forecast_id',
  'forecast_ts',
  'distribution',
  'flip_risk',
  'moved',
  'model_prob',
  'edge',
  'signal',
] as const;
export type PaidField = (typeof PAID_FIELDS)[number];

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
  readonly freeFields: readonly PaidField[];
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

/** An answer about all accounts has lists of every single one while there are no more than this. */
export const MOST_LISTED_ACCOUNTS = 20;
