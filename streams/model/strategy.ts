import type { Action } from './bucket-signal.ts';

export type BuyStrategy = 'TWO_BUCKET' | 'SINGLE_BUCKET';

/** The share of a bankroll that each strategy stakes (spec 2.5), before caps and the size of the book. */
export const STRATEGY_STAKES: Readonly<Record<BuyStrategy, number>> = {
  TWO_BUCKET: 0.05,
  SINGLE_BUCKET: 0.02,
};

/** A single bucket is a bet of high conviction (spec 2.5), so it has to win more often than not. */
const LEAST_CONVICTION = 0.5;

interface Candidate {
  readonly action: Action;
  readonly prob: number | null;
}

/** Indexes of the buckets to buy, the predicted one first. */
interface Picked {
  readonly strategy: BuyStrategy;
  readonly places: readonly number[];
}

/**
 * The order of an event, whose buckets are given lowest first: the predicted bucket and the one below it when both are a
 * BUY, else the BUY that the model gives at least one half, else null.
 */
export function pickOrder(buckets: readonly Candidate[], predicted: number): Picked | null {
  const isBuy = (place: number) => buckets[place]?.action === 'BUY';
  if (isBuy(predicted) && isBuy(predicted - 1)) {
    return { strategy: 'TWO_BUCKET', places: [predicted, predicted - 1] };
  }
  let best = -1;
  buckets.forEach(({ prob }, place) => {
    const least = Math.max(LEAST_CONVICTION, buckets[best]?.prob ?? 0);
    if (isBuy(place) && prob !== null && (best < 0 ? prob >= least : prob > least)) best = place;
  });
  return best < 0 ? null : { strategy: 'SINGLE_BUCKET', places: [best] };
}
