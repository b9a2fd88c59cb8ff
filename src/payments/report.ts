/** How a paid call ended. */
export type PaymentOutcome = 'settled' | 'failed' | 'unknown' | 'refused' | 'repeated' | 'unserved';

/** What an operator is told of payments. */
export type PaymentReport =
  | { readonly type: 'outcome'; readonly outcome: PaymentOutcome }
  /** The facilitator gave no clear answer. */
  | { readonly type: 'facilitator'; readonly call: 'verify' | 'settle'; readonly reason: string }
  /** Whether this one was settled will not be known any more. */
  | { readonly type: 'given_up'; readonly id: string }
  /** Settled, but its reply never left. */
  | { readonly type: 'unsent'; readonly ids: readonly string[] }
  | { readonly type: 'trouble'; readonly error: unknown };
