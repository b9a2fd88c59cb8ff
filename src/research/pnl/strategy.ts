import type { Output } from '../../../streams/internal.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';

/** What somebody holds of a token. */
interface Holding {
  readonly token: string;
  readonly eventId: number;
  readonly shares: number;
  /** What the shares that are left were bought for, with the fees. */
  readonly costUsd: number;
}

/** Plain data. */
export interface Portfolio {
  /** Now, by the log. UTC ms. */
  readonly time: number;
  readonly cashUsd: number;
  /** The cash, and what is held at what somebody bids for it. */
  readonly equityUsd: number;
  readonly holdings: readonly Holding[];
  /** The tokens of orders that have not arrived yet. */
  readonly pending: readonly string[];
}

export interface View {
  readonly portfolio: () => Portfolio;
  readonly market: Market;
}

/** Decides after each record, with nothing but the records so far. */
export interface Strategy {
  readonly name: string;
  decide(output: Output, view: View): readonly Order[];
}
