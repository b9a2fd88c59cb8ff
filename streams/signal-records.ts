import type { Weighed } from './model/bucket-signal.ts';
import type { CountRange } from './model/forecast/simulate.ts';
import type { BuyStrategy } from './model/strategy.ts';
import type { Confidence } from './model/time-left.ts';
import type { TrackRecord } from './model/track-record.ts';
import type { AccountId, ForecastOrigin, Input } from './observation.ts';

/** Records of the signals. */

/** One bucket that can still win, weighed. */
export interface BucketSignal extends Weighed {
  readonly title: string;
  readonly token: string;
  /** Bounds inclusive; null for open, and for what is no range of counts. */
  readonly lo: number | null;
  readonly hi: number | null;
  /** How deep p50 falls into it, 0 to 1; null without a forecast. */
  readonly moneyness: number | null;
  /** Share of any bankroll to put on it: those of an event never exceed the cap together. */
  readonly stake: number;
}

/**
 * What to do about one active event, whoever asks and whatever they own. No bucket is left once it is over. Actions
 * are those for a caller who accepts a horizon without demonstrated skill.
 */
export interface EventSignals {
  readonly eventId: number;
  readonly account: AccountId;
  readonly forecastId: string | null;
  readonly p50: number | null;
  /** The horizon whose track record applies; null when the close is too far away for any. */
  readonly horizonHours: number | null;
  readonly track: TrackRecord;
  readonly timeConfidence: Confidence;
  /** The oracle's count less the trading page's. */
  readonly asymmetry: number | null;
  readonly stale: readonly Input[];
  /** Best edge first. */
  readonly buckets: readonly BucketSignal[];
  /** What to buy, by Yes tokens, the predicted bucket first. */
  readonly order: { readonly strategy: BuyStrategy; readonly tokens: readonly string[] } | null;
}

/** A bucket that was to be bought. */
export interface FrozenBuy extends CountRange {
  readonly prob: number;
  readonly price: number;
  readonly stake: number;
}

/**
 * What was to be bought at a horizon, under `<event>@<hours>`: never edited, so that it can be held against the
 * outcome. There is none where nothing was.
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
  readonly strategy: BuyStrategy;
  /** Where the buckets of the order begin. */
  readonly orderLos: readonly number[];
  /** Largest stake first. */
  readonly buys: readonly FrozenBuy[];
}
