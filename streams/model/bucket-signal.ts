import { round4 } from './decimals.ts';
import { stakeFraction } from './sizing.ts';
import { costOfBuying } from './trading-costs.ts';

export type Action = 'BUY' | 'SELL' | 'HOLD' | 'SKIP';

/** Why a bucket has its action. */
export type ReasonCode =
  | 'UNDERVALUED'
  | 'OVERVALUED'
  | 'NO_TRADE_BAND'
  | 'COSTS_EXCEED_EDGE'
  | 'NO_ASK'
  | 'NO_BID'
  | 'EMPTY_BOOK'
  | 'NO_FORECAST'
  | 'OLD_FORECAST'
  | 'BUCKETS_DO_NOT_TILE'
  | 'STALE_POSTS'
  | 'STALE_ORACLE'
  | 'STALE_UI'
  | 'STALE_PRICES'
  | 'UNPROVEN_HORIZON'
  | 'BET_TOO_SMALL';

/** Between these edges nothing is done: above the first is a purchase, from the second down a sale. */
const BUY_ABOVE = 0.05;
const SELL_FROM = -0.05;

/** The market's quotes of one bucket. */
export interface Book {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly price: number | null;
}

/** The figures of model and market for one bucket, with the 4 decimals of the wire, and what to do. */
export interface EvaluatedBucket {
  readonly prob: number | null;
  readonly price: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly edge: number | null;
  /** The edge of a purchase after the taker's fee and half the spread. */
  readonly edgeNet: number | null;
  readonly action: Action;
  readonly codes: readonly ReasonCode[];
}

/**
 * Decides from the published figures, so that a reader who repeats the arithmetic comes to the same action. The caller
 * adds the code for an unknown probability.
 */
export function evaluateBucket(prob: number | null, book: Book | undefined): EvaluatedBucket {
  const modelProb = prob === null ? null : round4(prob);
  const { bid = null, ask = null } = book ?? {};
  const price = book?.price == null ? null : round4(book.price);
  // Nobody can trade at a price of 0 or 1.
  if (price === null || price <= 0 || price >= 1 || (bid === null && ask === null)) {
    return { ...UNKNOWN_FIGURES, prob: modelProb, action: 'SKIP', codes: ['EMPTY_BOOK'] };
  }
  const sides = { price, bid, ask };
  if (modelProb === null) return { ...UNKNOWN_FIGURES, ...sides, action: 'SKIP', codes: [] };
  const edge = round4(modelProb - price);
  const cost = costOfBuying(price, ask);
  const edgeNet = cost === null ? null : round4(edge - cost);
  return { prob: modelProb, ...sides, edge, edgeNet, ...actionFor(edge, edgeNet, bid) };
}

const UNKNOWN_FIGURES = { prob: null, price: null, bid: null, ask: null, edge: null, edgeNet: null } as const;

function actionFor(
  edge: number,
  edgeNet: number | null,
  bid: number | null,
): { readonly action: Action; readonly codes: readonly [ReasonCode] } {
  if (edge > BUY_ABOVE) {
    if (edgeNet === null) return { action: 'HOLD', codes: ['NO_ASK'] };
    if (edgeNet <= 0) return { action: 'HOLD', codes: ['COSTS_EXCEED_EDGE'] };
    return { action: 'BUY', codes: ['UNDERVALUED'] };
  }
  if (edge > SELL_FROM) return { action: 'HOLD', codes: ['NO_TRADE_BAND'] };
  return bid === null ? { action: 'HOLD', codes: ['NO_BID'] } : { action: 'SELL', codes: ['OVERVALUED'] };
}

/** The share of any bankroll to stake on this bucket alone; 0 unless it is a BUY. */
export function stakeOf({ action, prob, price }: EvaluatedBucket): number {
  return action === 'BUY' && prob !== null && price !== null ? stakeFraction(prob, price) : 0;
}
