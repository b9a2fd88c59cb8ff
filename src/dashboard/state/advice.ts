import type { Signals } from './records.ts';

type Signal = Pick<
  Signals['signals'][number],
  'bucket' | 'token_id' | 'best_bid' | 'buy_no' | 'suggested_bet' | 'model_prob'
>;
type Order = Pick<
  Signals['BUY'][number],
  'strategy' | 'buckets' | 'stake_usd' | 'stakes_usd' | 'measured_win_rate' | 'sample_size'
>;

interface Advised {
  readonly signals: readonly Signal[];
  readonly BUY: readonly Order[];
  readonly SELL: readonly Pick<Signals['SELL'][number], 'bucket'>[];
}

/** What to do about an event, the most certain first. */
export type Advice =
  /** A count has passed the bucket, and somebody still bids for it. */
  | { readonly type: 'passed'; readonly signal: Signal }
  /** Others are instead of it, never beside it. */
  | { readonly type: 'buy'; readonly order: Order; readonly instead: readonly Order[] }
  | { readonly type: 'sell'; readonly buckets: readonly string[] };

export function adviceOf(signals: Advised): readonly Advice[] {
  const passed = signals.signals.filter(({ buy_no }) => buy_no !== null);
  const [order, ...instead] = signals.BUY.filter(({ stake_usd }) => stake_usd > 0);
  const sells = signals.SELL.map(({ bucket }) => bucket).filter(
    (bucket) => !passed.some((signal) => signal.bucket === bucket),
  );
  return [
    ...passed.toSorted(byBid).map((signal) => ({ type: 'passed' as const, signal })),
    ...(order === undefined ? [] : [{ type: 'buy' as const, order, instead }]),
    ...(sells.length === 0 ? [] : [{ type: 'sell' as const, buckets: sells }]),
  ];
}

function byBid(a: Signal, b: Signal): number {
  return (b.best_bid ?? 0) - (a.best_bid ?? 0);
}

/** The one amount for a bucket, USD: that of the order if there is one, which replaces all bets. Null for none. */
export function amountOf(signal: Signal, orders: readonly Order[]): number | null {
  if (signal.buy_no !== null) return positive(signal.buy_no.suggested_bet);
  const [order] = orders.filter(({ stake_usd }) => stake_usd > 0);
  if (order === undefined) return positive(signal.suggested_bet);
  return positive(order.stakes_usd[order.buckets.indexOf(signal.bucket)] ?? 0);
}

function positive(amount: number): number | null {
  return amount > 0 ? amount : null;
}
