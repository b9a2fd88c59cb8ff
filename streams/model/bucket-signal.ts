import { round4 } from './decimals.ts';
import { fullKelly } from './sizing.ts';
import { costOfShare, proceedsOfShare, type TakerFee, USUAL_FEE } from './trading-costs.ts';

export type Action = 'BUY' | 'SELL' | 'HOLD' | 'SKIP';

/** Why a bucket has its action. */
export type ReasonCode =
  | 'UNDERVALUED'
  | 'OVERVALUED'
  | 'PASSED_BY_COUNT'
  | 'NO_TRADE_BAND'
  | 'COSTS_EXCEED_EDGE'
  | 'NO_ASK'
  | 'NO_BID'
  | 'EMPTY_BOOK'
  | 'NO_FORECAST'
  | 'OLD_FORECAST'
  | 'FORECAST_BEHIND_COUNT'
  | 'UNKNOWN_COUNT'
  | 'BUCKETS_DO_NOT_TILE'
  | 'STALE_POSTS'
  | 'STALE_ORACLE'
  | 'STALE_UI'
  | 'STALE_PRICES'
  | 'UNPROVEN_HORIZON'
  | 'DEPTH_UNKNOWN'
  | 'BET_TOO_SMALL';

/**
 * Where the counts are: `open` while none is above the bucket, `passed` once our own count is above it, `dead` once the
 * oracle's is, which the market pays on.
 */
export type Standing = 'open' | 'passed' | 'dead';

/** Between these edges nothing is done: above the first is a purchase, from the second down a sale. */
const BUY_ABOVE = 0.05;
const SELL_FROM = -0.05;

/** A bid for a bucket that the count has passed is worth taking from this gain per share on, after the fee. */
const LEAST_GAIN = 0.01;

/** The market's quotes of one bucket. Sizes are in shares, and null where they are not known. */
export interface Book {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly price: number | null;
  readonly bidSize: number | null;
  readonly askSize: number | null;
}

/** The figures of model and market for one bucket, with the 4 decimals of the wire, and what to do. */
export interface EvaluatedBucket extends Book {
  readonly standing: Standing;
  readonly prob: number | null;
  readonly edge: number | null;
  /** The edge of a purchase at the best ask after the taker's fee. */
  readonly edgeNet: number | null;
  readonly action: Action;
  readonly codes: readonly ReasonCode[];
  /** The full Kelly stake of a purchase at the best ask with the fee; null while any of them is unknown. */
  readonly kelly: number | null;
  /** The full Kelly stake on No at 1 minus the best bid with the fee; null unless the action is SELL at a price. */
  readonly noKelly: number | null;
  /** The fee that all of this is after. */
  readonly fee: TakerFee;
}

export function standingOf(
  { hi }: { readonly hi: number | null },
  real: number | null,
  oracle: number | null,
): Standing {
  if (hi === null) return 'open';
  if (oracle !== null && oracle > hi) return 'dead';
  return real !== null && real > hi ? 'passed' : 'open';
}

/**
 * The probability of a bucket now, from a forecast made when our own count was `forecastCount`. Null when the count has
 * passed the bucket since then, as the forecast did not know.
 */
export function probNow(
  prob: number,
  { hi }: { readonly hi: number | null },
  standing: Standing,
  forecastCount: number,
): number | null {
  if (standing === 'dead') return 0;
  return standing === 'passed' && hi !== null && forecastCount <= hi ? null : prob;
}

/**
 * Decides from the published figures, so that a reader who repeats the arithmetic comes to the same action. The caller
 * adds the code for an unknown probability.
 */
export function evaluateBucket(
  prob: number | null,
  book: Book | undefined,
  standing: Standing,
  fee: TakerFee = USUAL_FEE,
): EvaluatedBucket {
  const modelProb = prob === null ? null : round4(prob);
  const { bid = null, ask = null, bidSize = null, askSize = null } = book ?? {};
  const price = book?.price == null ? null : round4(book.price);
  const edge = modelProb === null || price === null ? null : round4(modelProb - price);
  // In a crossed book the ask may lie below the price, which does not make a share cheaper.
  const cost = ask === null || price === null ? null : costOfShare(Math.max(ask, price), fee);
  const isKnown = modelProb !== null && cost !== null;
  const edgeNet = isKnown ? round4(modelProb - cost) : null;
  const gain = modelProb === null ? null : gainOfNo(modelProb, bid, fee);
  const isPassed = standing !== 'open' && gain !== null && gain >= LEAST_GAIN;
  const decided = isPassed ? PASSED : actionFor(edge, edgeNet, { standing, modelProb, price, bid, ask, fee });
  const isSale = decided.action === 'SELL' && gain !== null && modelProb !== null && bid !== null;
  const noKelly = isSale ? fullKelly(1 - modelProb, costOfShare(1 - bid, fee)) : 0;
  return {
    standing,
    prob: modelProb,
    price,
    bid,
    ask,
    bidSize,
    askSize,
    edge,
    edgeNet,
    action: decided.action,
    codes: decided.codes,
    kelly: isKnown ? fullKelly(modelProb, cost) : null,
    noKelly: noKelly > 0 ? noKelly : null,
    fee,
  };
}

interface Decided {
  readonly action: Action;
  readonly codes: readonly ReasonCode[];
}

const PASSED: Decided = { action: 'SELL', codes: ['PASSED_BY_COUNT'] };

/**
 * What a share of No, bought at 1 - bid with the fee, is worth above its cost. The fee is the same on both sides, so this is
 * the gain of selling Yes at the bid too.
 */
function gainOfNo(prob: number, bid: number | null, fee: TakerFee): number | null {
  return bid === null || bid <= 0 || bid >= 1 ? null : round4(proceedsOfShare(bid, fee) - prob);
}

interface Figures {
  readonly standing: Standing;
  readonly modelProb: number | null;
  readonly price: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly fee: TakerFee;
}

function actionFor(
  edge: number | null,
  edgeNet: number | null,
  { standing, modelProb, price, bid, ask, fee }: Figures,
): Decided {
  // Nobody can trade at a price of 0 or 1.
  if (price === null || price <= 0 || price >= 1 || (bid === null && ask === null)) {
    return { action: 'SKIP', codes: ['EMPTY_BOOK'] };
  }
  if (edge === null || modelProb === null) return { action: 'SKIP', codes: [] };
  if (edge > BUY_ABOVE) {
    if (edgeNet === null) return { action: 'HOLD', codes: ['NO_ASK'] };
    if (edgeNet <= 0) return { action: 'HOLD', codes: ['COSTS_EXCEED_EDGE'] };
    return { action: 'BUY', codes: ['UNDERVALUED'] };
  }
  if (edge > SELL_FROM) return { action: 'HOLD', codes: ['NO_TRADE_BAND'] };
  // In a crossed book the price may be below a bid of 1, against which nobody can have an order of No.
  if (bid === null || bid >= 1) return { action: 'HOLD', codes: ['NO_BID'] };
  if (standing === 'dead' || proceedsOfShare(bid, fee) <= modelProb)
    return { action: 'HOLD', codes: ['COSTS_EXCEED_EDGE'] };
  return { action: 'SELL', codes: ['OVERVALUED'] };
}
