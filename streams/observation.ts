import type { CountingRule, PostKind } from './model/counting.ts';
import type { ForecastInputs } from './model/forecast/inputs.ts';
import type { ModelParams } from './model/forecast/params.ts';
import type { Forecast } from './model/forecast/simulate.ts';

/** Everything that can be observed of the outside world. The log is a list of these and nothing else. */

/** `a`, `b`, … : a tracked account. The server gives it its path segment on the wire. */
export type AccountId = string;

/**
 * Who brought a fact: `posts:a`, `oracle:a`, `ui:a` per account, `events`, `prices`, `crypto` once.
 * The names are also the keys of a tick's ages.
 */
export type SourceName = string;

/** In the order in which records list them. */
export const INPUTS = ['posts', 'oracle', 'ui', 'prices'] as const;
export type Input = (typeof INPUTS)[number];

/** The part of the configuration that the streams need. It is logged, so that a log is complete. */
export interface SettingsFact {
  readonly kind: 'settings';
  readonly accounts: readonly { readonly id: AccountId; readonly rule: CountingRule }[];
  /** An input older than this is stale, in ms. */
  readonly staleAfterMs: Readonly<Record<Input, number>>;
}

/**
 * One second has passed. `ages` holds, per source, the ms since its last good answer, measured on a
 * clock that never steps; a source that has never answered is absent.
 */
export interface TickFact {
  readonly kind: 'tick';
  readonly ages: Readonly<Record<SourceName, number>>;
}

/**
 * A post was seen. `id` is the first of its edit history, so an edit is the same post with a new text.
 * `via` tells a live poll from the history read at the first start, which shows nothing about lag; the
 * archive is the oracle's own list, reaching further back than the timeline.
 */
export interface PostFact extends PostKind {
  readonly kind: 'post';
  readonly account: AccountId;
  readonly via: 'poll' | 'backfill' | 'archive';
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
  readonly url: string;
}

/** A post seen earlier was looked up and found gone. */
export interface PostGoneFact {
  readonly kind: 'post_gone';
  readonly account: AccountId;
  readonly id: string;
}

/** The account's posts are known without a hole from `fromAt` on. Until then no count of them is honest. */
export interface CoverageFact {
  readonly kind: 'coverage';
  readonly account: AccountId;
  readonly fromAt: number;
}

/** The settlement oracle watches a window. `slug` is that of the market event it names, if it names one. */
export interface TrackingFact {
  readonly kind: 'tracking';
  readonly account: AccountId;
  readonly trackingId: string;
  readonly slug: string | null;
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
}

/** The oracle's count of a window. `syncedAt` is when the oracle last looked itself, if it is known. */
interface OracleFact {
  readonly kind: 'oracle';
  readonly account: AccountId;
  readonly trackingId: string;
  readonly total: number;
  readonly syncedAt: number | null;
}

/** The count the market's trading page shows, or null when it shows none. */
interface UiFact {
  readonly kind: 'ui';
  readonly eventId: number;
  readonly count: number | null;
}

/** An outcome of an event: of a post-count event a range of counts, bounds inclusive, `hi` null for open. */
export interface Bucket {
  readonly title: string;
  readonly lo: number | null;
  readonly hi: number | null;
  readonly conditionId: string;
  readonly marketSlug: string;
  readonly yesToken: string;
  readonly noToken: string;
  /** Whether this outcome won, once it is settled. */
  readonly won: boolean | null;
}

export type CryptoKind = 'UP_DOWN' | 'RANGE' | 'LADDER' | 'TOUCH';

export type Subject =
  | { readonly type: 'posts'; readonly account: AccountId }
  | {
      readonly type: 'crypto';
      readonly symbol: string;
      readonly kind: CryptoKind;
      readonly referencePrice: number | null;
    };

/**
 * A market event as its listing describes it. `startAt` is read from the description's text and is null
 * when the text has none; the oracle's tracking of the same event is believed first. `buckets` are in order
 * of their lower bound.
 */
export interface EventFact {
  readonly kind: 'event';
  readonly eventId: number;
  readonly slug: string;
  readonly title: string;
  readonly image: string;
  readonly subject: Subject;
  readonly startAt: number | null;
  readonly endAt: number;
  readonly isClosed: boolean;
  readonly buckets: readonly Bucket[];
}

/** What is known of the price of a bucket's Yes token, each 0 to 1 or null. `ui` is the listing's own figure. */
export interface Quote {
  readonly token: string;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly last: number | null;
  readonly ui: number | null;
}

export interface PricesFact {
  readonly kind: 'prices';
  readonly eventId: number;
  readonly quotes: readonly Quote[];
}

/** Spot prices of crypto symbols; `at` is the time the exchange gives. */
interface SpotFact {
  readonly kind: 'spot';
  readonly ticks: readonly { readonly symbol: string; readonly price: number; readonly at: number }[];
}

/** Coefficients of an account's own history, as it was known when they were requested. */
export interface FitFact {
  readonly kind: 'fit';
  readonly account: AccountId;
  readonly askedSeq: number;
  readonly params: ModelParams;
}

/**
 * `live` forecasts were made at their time and frozen; `history` ones were made later, at a first start, with
 * nothing but what was known at their time, and are counted apart.
 */
export type ForecastOrigin = 'live' | 'history';

/** How much of a change of the median a cause explains, in posts. */
export interface Move {
  readonly cause: 'model' | 'clock' | 'new_post' | 'post_deleted';
  readonly p50: number;
}

/** A simulated forecast of an event's final count, requested by observation `askedSeq`. */
export interface ForecastFact {
  readonly kind: 'forecast';
  readonly account: AccountId;
  readonly eventId: number;
  readonly askedSeq: number;
  readonly origin: ForecastOrigin;
  /** 24, 48 or 72 for a forecast that will be scored at that distance from the close. */
  readonly horizonHours: number | null;
  readonly seed: number;
  readonly inputs: ForecastInputs;
  readonly forecast: Forecast;
  /** The baseline: the last seven days' pace goes on. */
  readonly pace: Forecast;
  readonly sleepProbability: number;
  /** What moved the median since the event's previous forecast; empty for a first one. */
  readonly moved: readonly Move[];
}

export type Fact =
  | SettingsFact
  | TickFact
  | PostFact
  | PostGoneFact
  | CoverageFact
  | TrackingFact
  | OracleFact
  | UiFact
  | EventFact
  | PricesFact
  | SpotFact
  | FitFact
  | ForecastFact;

/** A fact with its place in the log. `receivedAt` is UTC ms, `seq` starts at 1 and has no gaps. */
export interface Observation {
  readonly seq: number;
  readonly receivedAt: number;
  readonly fact: Fact;
}
