import type { Book } from '../model/bucket-signal.ts';
import type { TrackRecord } from '../model/track-record.ts';
import type { Prediction } from '../records.ts';
import type { Decision, EventSignals, FrozenBuy } from '../signal-records.ts';
import { eventSignals } from './event-signals.ts';
import { confidenceIn, sizedSignals, USUAL_BETTOR } from './signals-for-bankroll.ts';

/**
 * What the signals of that instant said to buy with the forecast of a horizon; null when it was nothing. The caller is
 * the usual one.
 */
export function decisionOf(row: Prediction, record: EventSignals): Decision | null {
  const { horizonHours, forecastId, eventId, account, origin, madeAt, endAt } = row;
  if (horizonHours === null) return null;
  const { signals, buy } = sizedSignals(record, USUAL_BETTOR);
  const buys = signals.flatMap(({ action, lo, hi, prob, price, fraction }): readonly FrozenBuy[] => {
    if (action !== 'BUY' || lo === null || prob === null || price === null) return [];
    return [{ lo, hi, prob, price, stake: fraction }];
  });
  if (buys.length === 0) return null;
  return {
    forecastId,
    eventId,
    account,
    origin,
    horizonHours,
    madeAt,
    endAt,
    confidence: confidenceIn(record.track),
    isProven: record.track.isProven,
    strategy: buy?.strategy ?? null,
    orderLos: buy?.legs.flatMap(({ signal }) => signal.lo ?? []) ?? [],
    buys: buys.toSorted((a, b) => b.stake - a.stake),
  };
}

/**
 * The signals of a row of history, from what was known at its time: the price stands for both sides of the book, of a
 * size that nobody knows, our own count for the oracle's, and nothing was stale.
 */
export function signalsOfHistory(row: Prediction, track: TrackRecord): EventSignals {
  const books = new Map<string, Book>();
  const buckets = row.buckets.map(({ lo, hi, price }) => {
    const title = `${lo}-${hi ?? ''}`;
    if (price !== null) books.set(title, { bid: price, ask: price, price, bidSize: null, askSize: null });
    return { title, lo, hi, conditionId: '', marketSlug: '', yesToken: title, noToken: '', won: null };
  });
  const { eventId, endAt, count: real, horizonHours, madeAt: at } = row;
  return eventSignals(
    {
      event: { eventId, endAt, isPartition: true, buckets },
      counters: { real, oracle: real, ui: null, stale: [] },
      prediction: row,
      bookOf: (token) => books.get(token),
      horizonHours,
      track,
      accountShare: 1,
      at,
    },
    row.account,
  );
}
