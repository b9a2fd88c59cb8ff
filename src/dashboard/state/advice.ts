import type { Signals } from './records.ts';

type Crossing = Signals['crossings'][number];
type LeftBucket = Extract<Crossing, { readonly kind: 'count_left_bucket' }>;

type Signal = Pick<
  Signals['signals'][number],
  'bucket' | 'token_id' | 'best_bid' | 'buy_no' | 'suggested_bet' | 'model_prob' | 'reason_codes'
>;
type Order = Pick<
  Signals['BUY'][number],
  'strategy' | 'buckets' | 'stake_usd' | 'stakes_usd' | 'measured_win_rate' | 'sample_size'
>;

interface Advised {
  readonly signals: readonly Signal[];
  readonly BUY: readonly Order[];
  readonly SELL: readonly Pick<Signals['SELL'][number], 'bucket'>[];
  readonly crossings: readonly Crossing[];
}

/** What to do about an event, the most certain first. */
export type Advice =
  /** A count has passed the bucket, and somebody still bids for it; the crossing while the oracle's has not. */
  | { readonly type: 'passed'; readonly signal: Signal; readonly crossing: LeftBucket | undefined }
  /** The same where there is no signal. */
  | { readonly type: 'left'; readonly crossing: LeftBucket }
  /** Others are instead of it, never beside it. */
  | { readonly type: 'buy'; readonly order: Order; readonly instead: readonly Order[] }
  | { readonly type: 'sell'; readonly buckets: readonly string[] }
  /** For those who hold nothing to sell. */
  | { readonly type: 'no'; readonly signals: readonly Signal[] }
  /** Nothing to do yet, but to know. */
  | { readonly type: 'watch'; readonly crossing: Exclude<Crossing, LeftBucket> };

export function adviceOf(signals: Advised): readonly Advice[] {
  const passed = signals.signals.filter(isPassed);
  const lefts = signals.crossings.filter((crossing) => crossing.kind === 'count_left_bucket');
  const watched = signals.crossings.filter((crossing) => crossing.kind !== 'count_left_bucket');
  const leftOf = ({ token_id }: Signal) => lefts.find((left) => left.token_id === token_id);
  const unsignalled = lefts.filter((left) => !passed.some(({ token_id }) => token_id === left.token_id));
  const [order, ...instead] = signals.BUY.filter(({ stake_usd }) => stake_usd > 0);
  const sells = signals.SELL.map(({ bucket }) => bucket).filter(
    (bucket) => ![...passed, ...unsignalled].some((other) => other.bucket === bucket),
  );
  const noes = signals.signals.filter(
    (signal) => !isPassed(signal) && (signal.buy_no?.suggested_bet ?? 0) > 0,
  );
  return [
    ...passed
      .toSorted(byBid)
      .map((signal) => ({ type: 'passed' as const, signal, crossing: leftOf(signal) })),
    ...unsignalled.map((crossing) => ({ type: 'left' as const, crossing })),
    ...(order === undefined ? [] : [{ type: 'buy' as const, order, instead }]),
    ...(sells.length === 0 ? [] : [{ type: 'sell' as const, buckets: sells }]),
    ...(noes.length === 0 || order !== undefined ? [] : [{ type: 'no' as const, signals: noes }]),
    ...watched.map((crossing) => ({ type: 'watch' as const, crossing })),
  ];
}

/** Whether a count has passed the bucket while somebody still bids for it. */
export function isPassed({
  buy_no,
  reason_codes,
}: {
  readonly buy_no: object | null;
  readonly reason_codes: readonly string[];
}): boolean {
  return buy_no !== null && reason_codes.includes('PASSED_BY_COUNT');
}

function byBid(a: Signal, b: Signal): number {
  return (b.best_bid ?? 0) - (a.best_bid ?? 0);
}

/** The one amount for a bucket, USD: that of the order if there is one, which replaces all bets. Null for none. */
export function amountOf(signal: Signal, orders: readonly Order[]): number | null {
  const [order] = orders.filter(({ stake_usd }) => stake_usd > 0);
  if (signal.buy_no !== null && (order === undefined || isPassed(signal)))
    return positive(signal.buy_no.suggested_bet);
  if (order === undefined) return positive(signal.suggested_bet);
  return positive(order.stakes_usd[order.buckets.indexOf(signal.bucket)] ?? 0);
}

function positive(amount: number): number | null {
  return amount > 0 ? amount : null;
}
