export type PaymentState = 'RESERVED' | 'VERIFIED' | 'SETTLING' | 'SETTLED' | 'FAILED' | 'UNKNOWN';

/** A whole response. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A payment from the moment its nonce was taken. */
export interface KeptPayment {
  /** `network|asset|from|nonce` in lower case, which a chain accepts once. */
  readonly id: string;
  readonly state: PaymentState;
  /** SHA-256 of what was signed and of the signature, in hexadecimal. */
  readonly proof: string;
  /** Path and query it was sent with. */
  readonly resource: string;
  /** The request to the facilitator, as JSON. */
  readonly order: string;
  readonly validBeforeAt: number;
  /** When its state became what it is, or was last found to be unknown still. */
  readonly changedAt: number;
  /** When it is tried again; null once it is over. */
  readonly nextTryAt: number | null;
  /** How often its settlement was tried again. */
  readonly tries: number;
  /** The first try to settle it met a used nonce, so none of ours is known to have used it. */
  readonly usedAtFirst?: true;
  /** When its nonce was taken; absent in rows of earlier versions. */
  readonly takenAt?: number;
  /** What the facilitator last said of an unknown outcome; absent until it did. */
  readonly lastAnswer?: string;
  /** The answer that was bought. Kept from SETTLING until some time after it was sent. */
  readonly reply: KeptReply | null;
  /** The facilitator's receipt of the settlement, as it is passed on. */
  readonly receipt: string | null;
  readonly sentAt: number | null;
}

/** Payments that need work: not over, settled but not sent, or sent with a reply still kept. */
export type PaymentMark = 'open' | 'unsent' | 'spare';

export interface Payments {
  find(id: string): KeptPayment | undefined;
  /** Puts the payment unless its id is taken, in one transaction. Resolves to whether it was put, once it is on disk. */
  reserve(payment: KeptPayment): Promise<boolean>;
  /** Replaces the payment with this id. Resolves once it is on disk. One write at a time per id. */
  put(payment: KeptPayment): Promise<void>;
  release(id: string): Promise<void>;
  /**
   * Those with a mark, the earliest first: `open` by the next try, the others by the last change, both up to
   * `upToAt`.
   */
  marked(mark: PaymentMark, upToAt: number, limit: number): readonly KeptPayment[];
  /** Drops those that were valid until before `beforeAt`, at most `maxRows`; resolves to how many. */
  prune(beforeAt: number, maxRows: number): Promise<number>;
}
