import type { CountingRule, PostKind } from './model/counting.ts';
import type { ForecastInputs } from './model/forecast/inputs.ts';
import type { ModelParams } from './model/forecast/params.ts';
import type { Forecast } from './model/forecast/simulate.ts';
import type { Pmf } from './model/pmf.ts';
import type { TakerFee } from './model/trading-costs.ts';

/** A tracked account: `a`, `b`, and so on. On the wire it has a path segment instead. */
export type AccountId = string;

/**
 * The source of a fact: `posts:a`, `oracle:a`, `ui:a` for each account, and `events`, `prices`, `crypto`.
 * A tick lists ages under these names.
 */
export type SourceName = string;

/** In the order in which records list them. */
export const INPUTS = ['posts', 'oracle', 'ui', 'prices'] as const;
export type Input = (typeof INPUTS)[number];

/** Where posts are read from: the account's own timeline, or the list of posts that the settlement oracle keeps. */
export type PostsVia = 'timeline' | 'oracle_list';

/** The inputs whose age has a limit. The last two are those of crypto events. */
export const LIMITED_INPUTS = [...INPUTS, 'events', 'crypto'] as const;
export type LimitedInput = (typeof LIMITED_INPUTS)[number];

/** An input older than this is stale, in ms. Logs of earlier versions lack the limits of the last two. */
export type AgeLimits = Readonly<Record<Input, number>> & Readonly<Partial<Record<LimitedInput, number>>>;

/** What is known of an account beside its posts: as if it had posted at this rate for some days before. */
export interface AccountPrior {
  /** Counted posts. */
  readonly postsPerDay: number;
  /** How many days of posts it is worth. */
  readonly days: number;
}

interface AccountSettings {
  readonly id: AccountId;
  readonly rule: CountingRule;
  /** The timeline when absent, as in logs that were written before there was a choice. */
  readonly via?: PostsVia;
  /** Limits that differ from those of all accounts. */
  readonly staleAfterMs?: Readonly<Partial<Record<Input, number>>>;
  readonly prior?: AccountPrior;
}

/** The part of the configuration that the streams need. It is logged, so that a replay needs nothing but the log. */
export interface SettingsFact {
  readonly kind: 'settings';
  readonly accounts: readonly AccountSettings[];
  readonly staleAfterMs: AgeLimits;
}

/** What is known of an account beside its posts, if anything is. */
export function priorOf(
  { accounts }: SettingsFact,
  account: AccountId,
): { readonly prior: AccountPrior } | undefined {
  const prior = accounts.find(({ id }) => id === account)?.prior;
  return prior && { prior };
}

/** The limits of the inputs of one account. */
export function limitsOf({ accounts, staleAfterMs }: SettingsFact, account: AccountId): AgeLimits {
  const own = accounts.find(({ id }) => id === account)?.staleAfterMs;
  return own === undefined ? staleAfterMs : { ...staleAfterMs, ...own };
}

export function viaOf({ accounts }: SettingsFact, account: AccountId): PostsVia {
  return accounts.find(({ id }) => id === account)?.via ?? 'timeline';
}

/**
 * The ms since the last good answer about a single value, by source and value: the oracle's count by tracking, a page's
 * count and the prices by event, spot prices by symbol, the list of events by subject.
 */
export type ValueAges = Readonly<Record<SourceName, Readonly<Record<string, number>>>>;

/**
 * One second has passed. `ages` holds, per source, the ms since its last good answer, measured on a
 * clock that never steps; a source that has never answered is absent. No value of a source is older than that, except
 * those in `lagging`, which is absent when there are none. In logs of earlier versions it always is.
 */
export interface TickFact {
  readonly kind: 'tick';
  readonly ages: Readonly<Record<SourceName, number>>;
  readonly lagging?: ValueAges;
}

/**
 * A post was seen. `id` is the first of its edit history, so an edit is the same post with a new text.
 * `poll` and `list` are live polls of the timeline and of the oracle's list. `backfill` and `archive` are the same two
 * read back at a start, which shows nothing about lag. `import` is a history of somebody's own, which nobody has checked.
 */
export interface PostFact extends PostKind {
  readonly kind: 'post';
  readonly account: AccountId;
  readonly via: 'poll' | 'backfill' | 'list' | 'archive' | 'import';
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
  readonly url: string;
  /** The ids of its later versions, when it was edited. The oracle may list the post under one of them. */
  readonly editIds?: readonly string[];
  /** When the oracle took it in, by its list; null when the list does not say. Absent in facts of the timeline. */
  readonly importedAt?: number | null;
}

/** A post seen earlier was looked up and found gone. */
export interface PostGoneFact {
  readonly kind: 'post_gone';
  readonly account: AccountId;
  readonly id: string;
}

/**
 * The account's posts are known without a gap from `fromAt` until now. A count over an earlier time would be too low. The
 * last such fact holds: after a gap `fromAt` is later than before.
 */
export interface CoverageFact {
  readonly kind: 'coverage';
  readonly account: AccountId;
  readonly fromAt: number;
}

/**
 * How far back the account's past was read: all that is shown from `fromAt` on is in the log. The timeline is read first,
 * and then the archive, which has the posts that were deleted since and those behind the timeline's reach.
 */
export interface HistoryFact {
  readonly kind: 'history';
  readonly account: AccountId;
  readonly reading: 'timeline' | 'archive';
  readonly fromAt: number;
  /** Whether nothing older can be read. */
  readonly isDone: boolean;
}

/** The market's list of open events was read to its end: an event that is not known by now is not open. */
export interface ListingFact {
  readonly kind: 'listing';
  readonly subject: Subject['type'];
}

/** A window that the settlement oracle counts. `slug` is the market event it names, or null when it names none. */
export interface TrackingFact {
  readonly kind: 'tracking';
  readonly account: AccountId;
  readonly trackingId: string;
  readonly slug: string | null;
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
}

/** The oracle's count of a window. `syncedAt` is when the oracle last read the posts, or null when it is unknown. */
export interface OracleFact {
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

/** A possible outcome of an event. In a post-count event it is a range of counts, both bounds included, `hi` null for no upper bound. */
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
  /** What the market says that a taker pays; absent where it does not say, and in logs of earlier versions. */
  readonly fee?: TakerFee;
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
 * A market event as its listing describes it. `startAt` is read from the text of the description, and is null when
 * the text has none; a start that the oracle gives takes precedence. `buckets` are ordered by their lower bound.
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

/**
 * The prices known for a bucket's Yes token, each from 0 to 1, or null. `ui` is the listing's own figure. The sizes are
 * the shares at the best bid and at the best ask; null or absent when they are not known.
 */
export interface Quote {
  readonly token: string;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly bidSize?: number | null;
  readonly askSize?: number | null;
  readonly last: number | null;
  readonly ui: number | null;
}

export interface PricesFact {
  readonly kind: 'prices';
  readonly eventId: number;
  readonly quotes: readonly Quote[];
}

/** How much money was traded in each bucket of an event so far, in USD and in the order of the buckets; null where unknown. */
export interface VolumesFact {
  readonly kind: 'volumes';
  readonly eventId: number;
  readonly volumes: readonly (number | null)[];
}

/**
 * What the buckets of an event cost at an earlier instant, as the order books tell it afterwards: the last price that was
 * known at `at`, in the order of the buckets; null where there was none.
 */
export interface PastPricesFact {
  readonly kind: 'past_prices';
  readonly account: AccountId;
  readonly eventId: number;
  readonly at: number;
  readonly prices: readonly (number | null)[];
}

/** Spot prices of crypto symbols; `at` is the time the exchange gives. */
interface SpotFact {
  readonly kind: 'spot';
  readonly ticks: readonly { readonly symbol: string; readonly price: number; readonly at: number }[];
}

/** Coefficients fitted to an account's history as it was known when they were requested. */
export interface FitFact {
  readonly kind: 'fit';
  readonly account: AccountId;
  readonly askedSeq: number;
  readonly params: ModelParams;
}

/**
 * `live` forecasts were made at their time. `history` forecasts were made later, at a first start, from what was known
 * at their time; they are counted separately.
 */
export type ForecastOrigin = 'live' | 'history';

/** How much of a change of the median a cause explains, in posts. */
export interface Move {
  readonly cause: 'model' | 'clock' | 'new_post' | 'post_deleted' | 'oracle';
  readonly p50: number;
}

/** How the count that settles is expected to differ from our own, in posts. */
export interface Settlement {
  /** The oracle's count when the forecast was requested; null while it was unknown. */
  readonly oracle: number | null;
  /** The settled count so far: the oracle's count and the posts that it will still include. */
  readonly soFar: Pmf;
  /** The final settled count minus our own final count, and its percentiles. */
  readonly offset: Pmf;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/**
 * A simulated forecast of the count that settles an event, requested by observation `askedSeq`. A forecast of the past
 * takes our own count for the settled one, and so did older programs: both lack `own` and `settlement`.
 */
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
  /** The baseline: the pace of the last seven days continues. It starts from the same count so far. */
  readonly pace: Forecast;
  /** The forecast of our own final count. */
  readonly own?: Forecast;
  readonly settlement?: Settlement;
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
  | HistoryFact
  | ListingFact
  | TrackingFact
  | OracleFact
  | UiFact
  | EventFact
  | PricesFact
  | VolumesFact
  | PastPricesFact
  | SpotFact
  | FitFact
  | ForecastFact;

/** A fact in the log. `seq` starts at 1 and has no gaps. */
export interface Observation {
  readonly seq: number;
  /** UTC ms. Never less than that of the observation before, so that an instant has one place in the log. */
  readonly receivedAt: number;
  /** By how many ms that is ahead of the calendar, after the calendar was set back; absent while the two agree. */
  readonly aheadMs?: number;
  readonly fact: Fact;
}

/** When the observation was received by the calendar, UTC ms. After a correction that is earlier than before. */
export function calendarAt({ receivedAt, aheadMs = 0 }: Omit<Observation, 'fact'>): number {
  return receivedAt - aheadMs;
}

/**
 * The observation as the pipelines see it: windows open and close by the calendar, whatever place the log gives an
 * observation.
 */
export function onCalendar(observation: Observation): Observation {
  if (observation.aheadMs === undefined) return observation;
  const { seq, fact } = observation;
  return { seq, receivedAt: calendarAt(observation), fact };
}
