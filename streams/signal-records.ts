import type { EvaluatedBucket } from './model/bucket-signal.ts';
import type { CountRange } from './model/forecast/simulate.ts';
import type { BuyStrategy } from './model/strategy.ts';
import type { Confidence } from './model/time-left.ts';
import type { TrackRecord } from './model/track-record.ts';
import type { AccountId, ForecastOrigin, Input } from './observation.ts';

/** The advice on one bucket. */
export interface BucketSignal extends EvaluatedBucket {
  readonly title: string;
  /** Of the Yes share, and of the No share. */
  readonly token: string;
  readonly noToken: string;
  /** Bounds inclusive; null for an open end, and in an event that is not about counts. */
  readonly lo: number | null;
  readonly hi: number | null;
  /** How near p50 is to the middle of the bucket: 1 at the centre, 0 at the edges and outside; null without a forecast. */
  readonly moneyness: number | null;
}

/**
 * What to buy and sell in one active event, for any caller and any bankroll. There are no buckets once the event is
 * over. The actions are those for a caller who accepts a horizon where the model is not proven.
 */
export interface EventSignals {
  readonly eventId: number;
  readonly account: AccountId;
  readonly forecastId: string | null;
  readonly p50: number | null;
  /** The horizon whose track record applies; null when the close is too far away for any. */
  readonly horizonHours: number | null;
  readonly track: TrackRecord;
  /** What the cap of the event, and the cap of all open events of the account, leave of each stake: above 0, up to 1. */
  readonly eventShare: number;
  readonly accountShare: number;
  readonly timeConfidence: Confidence;
  /** The oracle's count minus the trading page's. */
  readonly asymmetry: number | null;
  readonly stale: readonly Input[];
  /**
   * Every bucket: first those that the count has passed while somebody still bids enough for them, then the best edge
   * first.
   */
  readonly buckets: readonly BucketSignal[];
  /** The Yes tokens to buy, the predicted bucket first. */
  readonly order: { readonly strategy: BuyStrategy; readonly tokens: readonly string[] } | null;
}

/** A bucket of which one side was worth buying. */
export interface FrozenBuy extends CountRange {
  /** Absent for Yes. */
  readonly side?: 'No';
  /** The probability that the side wins. */
  readonly prob: number;
  /** The market's price of Yes, or 1 minus the best bid for it. */
  readonly price: number;
  /** What a share of the side cost at the best price with the fee; absent where it is not known. */
  readonly cost?: number;
  /** The share of a bankroll of the usual size. */
  readonly stake: number;
}

/**
 * What the signals said to buy at a horizon, under `<event>@<hours>`. It is never edited, so that it can be compared
 * with the outcome. There is no record when they said to buy nothing.
 */
export interface Decision {
  readonly forecastId: string;
  readonly eventId: number;
  readonly account: AccountId;
  readonly origin: ForecastOrigin;
  readonly horizonHours: number;
  readonly madeAt: number;
  readonly endAt: number;
  readonly confidence: Confidence;
  readonly isProven: boolean;
  /** Null when the signals had buckets to buy and no order. */
  readonly strategy: BuyStrategy | null;
  /** Lower bounds of the buckets of the order. */
  readonly orderLos: readonly number[];
  /** Largest stake first. */
  readonly buys: readonly FrozenBuy[];
}
