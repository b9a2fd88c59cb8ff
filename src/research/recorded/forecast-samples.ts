import {
  contains,
  type EventRecord,
  HOUR_MS,
  MINUTE_MS,
  type Output,
  type OutputOf,
  type Prediction,
} from '../../../streams/internal.ts';
import { MAX_PRICE_AGE_MS } from '../backtest/market-prices.ts';
import { createMarket } from '../pnl/market.ts';

/** A published forecast and what the market said at the same instant. */
interface Sample {
  readonly eventId: number;
  readonly account: string;
  /** When the forecast was published. */
  readonly at: number;
  readonly startAt: number | null;
  readonly endAt: number;
  readonly hoursLeft: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  readonly quantiles: readonly number[];
  readonly paceQuantiles: readonly number[];
  readonly buckets: readonly {
    readonly lo: number;
    readonly hi: number | null;
    readonly prob: number;
    readonly paceProb: number;
  }[];
  /** The market's probabilities in the order of the buckets; null unless every bucket had a price that was young enough. */
  readonly market: readonly number[] | null;
  /** Posts in the hour before; null when unknown. */
  readonly counted1h: number | null;
}

/** The outcome of an event. */
interface Outcome {
  readonly startAt: number | null;
  readonly endAt: number;
  /** Place among the buckets of the samples. */
  readonly won: number;
  /** The count that settled it; null where only the winner is known. */
  readonly final: number | null;
}

export interface ScoredSample extends Sample, Pick<Outcome, 'won' | 'final'> {}

/** Hours before the close at which a forecast is scored. */
const HOURS = [1, 2, 3, 6, 12, 24, 36, 48, 72, 96, 120, 144, 168];
/** A forecast counts for an hour when it was made at most so long after it. */
const MOST_SLACK_MS = 30 * MINUTE_MS;

/** Collects the live forecasts at given hours before the close, each beside the market's prices of that instant. */
export function collectSamples() {
  const market = createMarket();
  const samples = new Map<string, Sample>();
  const events = new Map<number, EventRecord>();
  const finals = new Map<number, number>();
  const oracles = new Map<number, number>();
  const counted = new Map<string, number | null>();

  function priceOf(token: string, at: number): number | null {
    const known = market.price(token);
    return known === undefined || at - known.knownAt > MAX_PRICE_AGE_MS ? null : known.price;
  }

  function marketAt({ eventId, buckets }: Prediction, at: number): number[] | null {
    const listed = events.get(eventId)?.buckets ?? [];
    const prices = buckets.flatMap(({ lo }) => {
      const token = listed.find((bucket) => (bucket.lo ?? 0) === lo)?.yesToken;
      const price = token === undefined ? null : priceOf(token, at);
      return price === null ? [] : [price];
    });
    const sum = prices.reduce((total, price) => total + price, 0);
    return prices.length === buckets.length && sum > 0 ? prices.map((price) => price / sum) : null;
  }

  function take({ record }: OutputOf<'predictions'>, time: number): void {
    const { origin, eventId, account, madeAt, startAt, endAt } = record;
    if (origin !== 'live') return;
    const hoursLeft = HOURS.find((hours) => {
      const late = madeAt - (endAt - hours * HOUR_MS);
      return late >= 0 && late <= Math.min(MOST_SLACK_MS, (hours * HOUR_MS) / 6);
    });
    if (hoursLeft === undefined) return;
    const key = `${eventId} ${startAt} ${endAt} ${hoursLeft}`;
    if (samples.has(key)) return;
    const { p5, p50, p95, quantiles, paceQuantiles, buckets } = record;
    samples.set(key, {
      ...{ eventId, account, at: time, startAt, endAt, hoursLeft },
      ...{ p5, p50, p95, quantiles, paceQuantiles },
      buckets: buckets.map(({ lo, hi, prob, paceProb }) => ({ lo, hi, prob, paceProb })),
      market: marketAt(record, time),
      counted1h: counted.get(account) ?? null,
    });
  }

  function wonOf({ eventId, buckets }: Sample, final: number | null): number {
    const winner = events.get(eventId)?.buckets.find(({ won }) => won === true);
    if (winner !== undefined) return buckets.findIndex(({ lo }) => lo === (winner.lo ?? 0));
    return final === null ? -1 : buckets.findIndex((bucket) => contains(bucket, final));
  }

  return {
    show(time: number, output: Output, isTaken = true): void {
      if (output.stream === 'predictions' && isTaken) take(output, time);
      market.apply(time, output);
      switch (output.stream) {
        case 'events':
          events.set(output.record.eventId, output.record);
          break;
        case 'scores':
          if (output.record.status === 'settled') finals.set(output.record.eventId, output.record.final);
          break;
        case 'counters':
          if (output.record.oracle !== null) oracles.set(output.record.eventId, output.record.oracle);
          break;
        case 'velocity':
          counted.set(output.record.account, output.record.counted1h);
          break;
      }
    },
    /** All forecasts, and those whose outcome is known, of the window that was settled. */
    finish(): { readonly all: number; readonly scored: readonly ScoredSample[] } {
      const scored = [...samples.values()].flatMap((sample) => {
        const event = events.get(sample.eventId);
        if (event?.phase !== 'closed' || event.startAt !== sample.startAt || event.endAt !== sample.endAt)
          return [];
        const final = finals.get(sample.eventId) ?? oracles.get(sample.eventId) ?? null;
        const won = wonOf(sample, final);
        return won < 0 ? [] : [{ ...sample, won, final }];
      });
      return { all: samples.size, scored };
    },
  };
}
