import { ServiceError } from '../../errors.ts';

/** What a strategy wants. It takes the best price of the book that is there when the order arrives. */
export interface Order {
  /** The Yes or the No token of a bucket. */
  readonly token: string;
  readonly side: 'BUY' | 'SELL';
  /** Of a purchase: the most to pay, with the fee. Without it the stake is a quarter of the Kelly stake for `prob`. */
  readonly usd?: number;
  /** Of a purchase: the probability that the token pays, in the strategy's opinion. */
  readonly prob?: number;
  /** Of a sale: how many shares; all that are held unless given. */
  readonly shares?: number;
  /** The worst price to accept. */
  readonly limit?: number;
}

const FIELDS = ['token', 'side', 'usd', 'prob', 'shares', 'limit'];

/** The order, if it is one. Anything else is a mistake in the strategy, and ends the run. */
export function checkedOrder(order: unknown): Order {
  const fault = faultOf(order);
  if (fault === null) return order as Order;
  throw new ServiceError('STRATEGY_ORDER', `the strategy gave ${shown(order)}: ${fault}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)} …` : text;
}

function faultOf(order: unknown): string | null {
  if (typeof order !== 'object' || order === null) return 'an order is an object with token and side';
  const { token, side, usd, prob, shares, limit }: Readonly<Record<string, unknown>> = { ...order };
  const unknown = Object.keys(order).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `an order has no ${unknown}, expected ${FIELDS.join(', ')}`;
  if (typeof token !== 'string' || token === '') return 'token is the token of a bucket';
  if (side !== 'BUY' && side !== 'SELL') return 'side is BUY or SELL';
  if (usd !== undefined && !isWithin(usd, 0, Number.MAX_VALUE)) return 'usd is an amount from 0 on';
  if (prob !== undefined && !isWithin(prob, 0, 1)) return 'prob is a probability from 0 to 1';
  if (shares !== undefined && !isWithin(shares, 0, Number.MAX_VALUE)) return 'shares is a number from 0 on';
  if (limit !== undefined && !isWithin(limit, 0, 1)) return 'limit is a price from 0 to 1';
  if (side === 'BUY' && usd === undefined && prob === undefined) return 'a purchase needs usd or prob';
  return null;
}

function isWithin(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high;
}
