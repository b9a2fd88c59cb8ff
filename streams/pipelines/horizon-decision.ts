import type { Book } from '../model/bucket-signal.ts';
import { round4 } from '../model/decimals.ts';
import type { TrackRecord } from '../model/track-record.ts';
import { costOfShare } from '../model/trading-costs.ts';
import type { Prediction } from '../records.ts';
import type { Decision, EventSignals, FrozenBuy } from '../signal-records.ts';
import { eventSignals } from './event-signals.ts';
import { confidenceIn, type SizedSignal, sizedSignals, USUAL_BETTOR } from './signals-for-bankroll.ts';

/**
 * What the signals of that instant said to buy with the forecast of a horizon; null when it was nothing. The caller is
 * the usual one.
 */
export function decisionOf(row: Prediction, record: EventSignals): Decision | null {
  const { horizonHours, forecastId, eventId, account, origin, madeAt, endAt } = row;
  if (horizonHours === null) return null;
  const { signals, buy } = sizedSignals(record, USUAL_BETTOR);
  const buys = signals.flatMap(frozenBuy);
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

/** The one bet on a bucket, if it is worth a cent. */
function frozenBuy(signal: SizedSignal): readonly FrozenBuy[] {
  const { action, lo, hi, prob, price, ask, bid, fraction, no, fee } = signal;
  if (lo === null || prob === null) return [];
  if (action === 'BUY' && price !== null)
    return [{ lo, hi, prob, price, ...(ask !== null && { cost: costOfShare(ask, fee) }), stake: fraction }];
  if (no === null || no.fraction === 0 || bid === null) return [];
  const noPrice = round4(1 - bid);
  const cost = costOfShare(noPrice, fee);
  return [{ lo, hi, side: 'No', prob: round4(1 - prob), price: noPrice, cost, stake: no.fraction }];
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
