import type { KeptReply } from '../store/store.ts';

/** A call that comes with a payment. */
export interface Sale {
  /** The payment as it was sent. */
  readonly payment: string;
  readonly path: string;
  /** Path and query. */
  readonly resource: string;
  /** The whole address he asked at. */
  readonly url: string;
  /** Who is answerable for refused payments. */
  readonly address: string;
  /** Makes what is sold. */
  answer(): Promise<KeptReply>;
  /** Whether the caller has left. */
  isGone(): boolean;
}

export interface Sold {
  readonly reply: KeptReply;
  /** To be called once the reply is out. */
  sent(): void;
}
