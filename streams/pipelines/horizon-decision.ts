import { type Book, evaluateBucket, stakeOf } from '../model/bucket-signal.ts';
import { canStillWin } from '../model/can-still-win.ts';
import { contains } from '../model/forecast/scores.ts';
import { withinCap } from '../model/sizing.ts';
import { pickOrder } from '../model/strategy.ts';
import type { TrackRecord } from '../model/track-record.ts';
import type { PredictedBucket, Prediction } from '../records.ts';
import type { Decision, FrozenBuy } from '../signal-records.ts';

/**
 * What was worth buying at a horizon, by its forecast and the rules of the signals; null when nothing was, or no price
 * was known. `bookOf` gives the book of that instant. Without a book, as in history, the price stands for both sides.
 */
export function decisionOf(
  row: Prediction,
  bookOf: (bucket: PredictedBucket) => Book | undefined,
  track: TrackRecord,
): Decision | null {
  const { horizonHours, forecastId, eventId, account, origin, madeAt, endAt } = row;
  if (horizonHours === null) return null;
  // A row of the past has no count of the oracle, and takes our own for it.
  const oracle = row.settlement === undefined ? row.count : row.settlement.oracle;
  const open = row.buckets.filter((bucket) => canStillWin(bucket, oracle));
  const evaluated = open.map((bucket) => {
    const { prob, price } = bucket;
    return evaluateBucket(
      prob,
      price === null ? undefined : (bookOf(bucket) ?? { bid: price, ask: price, price }),
    );
  });
  const stakes = withinCap(evaluated.map(stakeOf));
  const picked = pickOrder(
    evaluated,
    open.findIndex((bucket) => contains(bucket, row.p50)),
  );
  if (picked === null) return null;
  const buys = evaluated.flatMap(({ action, prob, price }, place): readonly FrozenBuy[] => {
    const range = open[place];
    if (action !== 'BUY' || prob === null || price === null || range === undefined) return [];
    return [{ lo: range.lo, hi: range.hi, prob, price, stake: stakes[place] ?? 0 }];
  });
  return {
    forecastId,
    eventId,
    account,
    origin,
    horizonHours,
    madeAt,
    endAt,
    confidence: track.confidence,
    isProven: track.isProven,
    strategy: picked.strategy,
    orderLos: picked.places.flatMap((place) => open[place]?.lo ?? []),
    buys: buys.toSorted((a, b) => b.stake - a.stake),
  };
}
