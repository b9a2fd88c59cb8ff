import type { ClosedForecast } from './model/forecast/bias.ts';
import type { ModelParams } from './model/forecast/params.ts';
import type { CountRange } from './model/forecast/simulate.ts';
import type { Pmf } from './model/pmf.ts';
import type { SettlementFacts } from './model/settlement.ts';
import type {
  AccountId,
  AccountPrior,
  EventFact,
  ForecastOrigin,
  Input,
  Move,
  PostsVia,
  Settlement,
  SourceName,
  Subject,
  TickFact,
} from './observation.ts';
import type { ScoreRecord, VoidRecord } from './score-records.ts';
import type { Decision, EventSignals } from './signal-records.ts';

export interface Post {
  readonly account: AccountId;
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
  /** Null while only the oracle's list shows the post. */
  readonly isReply: boolean | null;
  readonly isQuote: boolean | null;
  readonly isRepost: boolean;
  readonly isCounted: boolean;
  readonly url: string;
  readonly seenAt: number;
  /** When it was found gone, or null. */
  readonly deletedAt: number | null;
  /** `oracle_list`, or `import` from a file, until the timeline has shown it. */
  readonly via: PostsVia | 'import';
  /**
   * When the oracle took it in, or was first found to have it. Null while its list was not seen to show it; nobody looks
   * for a post of the timeline that is more than two days old.
   */
  readonly oracleAt: number | null;
}

/** `upcoming` until the window opens, `active` while it is open, `ended` after it, `closed` once the market closes it. */
type Phase = 'upcoming' | 'active' | 'ended' | 'closed';

/** A market event as it is listed, with the window that settles it, half-open `[startAt, endAt)`. */
export interface EventRecord extends Omit<EventFact, 'kind' | 'isClosed'> {
  /** Null while neither the oracle nor the event's text gives it: such an event is never active. */
  readonly startAt: number | null;
  readonly phase: Phase;
  readonly trackingId: string | null;
  /** The buckets tile the counts 0, 1, 2, … without gap or overlap. */
  readonly isPartition: boolean;
}

/** The three counters of one event and their differences. An unknown counter is null, and so is any difference from it. */
export interface Counters {
  readonly eventId: number;
  readonly account: AccountId;
  readonly oracle: number | null;
  readonly real: number | null;
  readonly ui: number | null;
  readonly settlementDelta: number | null;
  readonly displayDelta: number | null;
  readonly internalDelta: number | null;
  /** How many of the posts in `real` were found deleted; null when `real` is, or when nothing looks for deletions. */
  readonly deleted: number | null;
  /** Where the posts in `real` are read from. */
  readonly via: PostsVia;
  /** Inputs past their limit, in the order posts, oracle, ui, prices. */
  readonly stale: readonly Input[];
  /**
   * How much of the window's past was read, in whole percent: 100 when `real` is known. Null when `real` stays unknown:
   * all that can be read was read.
   */
  readonly historyPercent: number | null;
}

/** Posts created in the last hour; null when they may not all be known. */
export interface Velocity {
  readonly account: AccountId;
  readonly counted1h: number | null;
  /** Null also when posts come from the oracle's list, which holds only counted ones. */
  readonly all1h: number | null;
}

type PriceKind = 'mid' | 'last' | 'ui';

/** The price of one bucket's Yes token. */
export interface Price {
  readonly eventId: number;
  readonly token: string;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Shares at the best bid and at the best ask; null when they are not known. */
  readonly bidSize: number | null;
  readonly askSize: number | null;
  /** The price of the last trade; null when none is known. */
  readonly last: number | null;
  readonly price: number | null;
  readonly priceKind: PriceKind | null;
  readonly at: number;
}

/** One bucket in a minute: the market's figures as they were last known then, and the probability by the model. */
export interface MinuteBucket {
  readonly lo: number | null;
  readonly hi: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Shares at the best bid and at the best ask. */
  readonly bidSize: number | null;
  readonly askSize: number | null;
  readonly last: number | null;
  /** Money traded so far, USD, as the listing says. */
  readonly volume: number | null;
  /** The price, to 4 decimals. */
  readonly price: number | null;
  /** To 4 decimals; null without a forecast of the window, and while the count has passed the bucket and the forecast has not. */
  readonly prob: number | null;
}

/** Market and model of one event at one instant of a minute, under the id of the event. */
export interface Minute {
  readonly eventId: number;
  readonly account: AccountId;
  /** The instant of the figures, UTC ms: nothing that came later is in them. */
  readonly at: number;
  /** Our own count and the oracle's. */
  readonly real: number | null;
  readonly oracle: number | null;
  readonly forecastId: string | null;
  /** In the order of the event's buckets. */
  readonly buckets: readonly MinuteBucket[];
}

export interface Percentiles {
  readonly n: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
}

/** Ms from a post's creation until we saw it, the oracle counted it, and the trading page showed it, over 24 h. */
export interface Lag {
  readonly account: AccountId;
  readonly seen: Percentiles;
  readonly oracle: Percentiles;
  readonly ui: Percentiles;
}

export interface Spot {
  readonly symbol: string;
  readonly price: number;
  readonly at: number;
}

/** A computation to be run on a worker thread. Its answer comes back as a fact. */
export type ModelRequest =
  | {
      readonly type: 'fit';
      readonly account: AccountId;
      readonly now: number;
      /** From here on the counted posts are known without a gap. */
      readonly fromAt: number;
      /** Creation times of counted posts before `now`, ascending. */
      readonly postTimes: Float64Array;
      readonly prior?: AccountPrior;
      /** Forecasts of events whose outcome is known, ordered by close. The account's bias is learnt from them. */
      readonly closed: readonly ClosedForecast[];
    }
  | {
      readonly type: 'forecast';
      readonly account: AccountId;
      readonly eventId: number;
      readonly origin: ForecastOrigin;
      readonly horizonHours: number | null;
      readonly now: number;
      readonly startAt: number;
      readonly endAt: number;
      /** Our own count of the window. */
      readonly count: number;
      /** What the settled count depends on. Null for a forecast of the past, which takes our own count for it. */
      readonly settlement: SettlementFacts | null;
      readonly buckets: readonly CountRange[];
      readonly seed: number;
      /** Null for a forecast of the past: its coefficients are fitted to what was known at `now`. */
      readonly params: ModelParams | null;
      readonly fromAt: number;
      readonly postTimes: Float64Array;
      readonly prior?: AccountPrior;
      /** Creation times of posts of every kind before `now`, ascending, as far back as all kinds are known. */
      readonly activity: Float64Array;
      /** The event's previous live forecast, to explain the change since then. */
      readonly previous: {
        readonly now: number;
        readonly count: number;
        /** The oracle's count and the settled count so far. */
        readonly oracle: number | null;
        readonly soFar: Pmf;
        readonly p50: number;
        readonly params: ModelParams;
      } | null;
    };

/**
 * One bucket of a prediction, with the market's price at that instant. Its range identifies it: title and tokens are
 * in the event, and would make every row too long.
 */
export interface PredictedBucket extends CountRange {
  readonly prob: number;
  readonly paceProb: number;
  /** By the forecast of our own count; absent where the row has none. */
  readonly ownProb?: number;
  readonly price: number | null;
  readonly priceKind: PriceKind | null;
}

/**
 * A published forecast, a row of the ledger that is never edited. The newest live forecast of an event is stored under
 * its id, the forecasts to be scored under `<event>@<hours>`. When the window or the buckets change later, those of the
 * second window are stored under `<event>@<hours>.2`, and so on.
 */
export interface Prediction {
  readonly forecastId: string;
  readonly eventId: number;
  readonly account: AccountId;
  readonly origin: ForecastOrigin;
  readonly horizonHours: number | null;
  readonly modelVersion: string;
  readonly seed: number;
  readonly askedSeq: number;
  /** The instant it was made for. */
  readonly madeAt: number;
  /** The window it was made for. */
  readonly startAt: number | null;
  readonly endAt: number;
  /** Our own count at that instant. */
  readonly count: number;
  /** Percentiles of the count that settles. */
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  /** At 0 %, 1 %, ... 100 %. */
  readonly quantiles: readonly number[];
  readonly paceP50: number;
  readonly paceQuantiles: readonly number[];
  /** The forecast of our own final count, and how the settled one differs. Rows of the past and older rows have neither. */
  readonly ownP50?: number;
  readonly ownQuantiles?: readonly number[];
  readonly settlement?: Settlement;
  readonly buckets: readonly PredictedBucket[];
  readonly sleepProbability: number;
  /**
   * Probability that the bucket that settles is not the one that both the oracle's count and our own count show at the
   * close; null while the oracle's lag is unknown.
   */
  readonly flipRisk: number | null;
  readonly moved: readonly Move[];
  /** SHA-256 over the row without this field, in hex. */
  readonly hash: string;
}

/**
 * A published sleep probability, once it is known whether the account slept at that instant: whether it lay in a silence
 * of 4 h or more. With the running scores of the account.
 */
export interface SleepScore {
  readonly account: AccountId;
  readonly madeAt: number;
  readonly probability: number;
  readonly isAsleep: boolean;
  readonly n: number;
  /** Mean squared distance of the probabilities from what happened. */
  readonly brier: number;
  /** The same for the share of time asleep, as a constant probability. */
  readonly baselineBrier: number;
}

/** A model by the name of its formulas, whatever its fit, and when it first published a forecast. UTC ms. */
export interface PublishedModel {
  readonly model: string;
  readonly publishedAt: number;
}

/** The sources at the last tick. It changes every second, so it is published but not stored. */
interface Freshness extends Pick<TickFact, 'ages' | 'lagging'> {
  /** Sources past their limit or with a value that is, and those that never answered. */
  readonly stale: readonly SourceName[];
  /** `source/value` of the values past their limit whose source answers; absent when there are none. */
  readonly staleValues?: readonly string[];
  /** When the list of open events was last read to its end, by what the events are about. Null before the first time. */
  readonly listedAt: Readonly<Record<Subject['type'], number | null>>;
}

/** A pipeline threw: a bug. Its actor is out of service until the graph is rebuilt. */
export interface Failure {
  readonly actor: string;
  readonly message: string;
}

export interface StreamRecords {
  readonly posts: Post;
  readonly events: EventRecord;
  readonly counters: Counters;
  readonly velocity: Velocity;
  readonly prices: Price;
  readonly minutes: Minute;
  readonly lag: Lag;
  readonly spot: Spot;
  readonly predictions: Prediction;
  readonly models: PublishedModel;
  readonly scores: ScoreRecord | VoidRecord;
  readonly sleep: SleepScore;
  readonly signals: EventSignals;
  readonly decisions: Decision;
  readonly requests: ModelRequest;
  readonly freshness: Freshness;
  readonly failures: Failure;
}

export type StreamName = keyof StreamRecords;

/** The store keeps the history of `kept` streams. `passing` streams are only published. */
const STREAMS: Readonly<Record<StreamName, 'kept' | 'passing'>> = {
  posts: 'kept',
  events: 'kept',
  counters: 'kept',
  velocity: 'kept',
  prices: 'kept',
  minutes: 'kept',
  lag: 'kept',
  spot: 'kept',
  predictions: 'kept',
  models: 'kept',
  scores: 'kept',
  sleep: 'kept',
  // Changes with every price. The decisions at each horizon are kept instead, and a replay gives the rest.
  signals: 'passing',
  decisions: 'kept',
  requests: 'passing',
  freshness: 'passing',
  failures: 'kept',
};

export function isStreamName(name: string): name is StreamName {
  return Object.hasOwn(STREAMS, name);
}

export function isKept(stream: StreamName): boolean {
  return STREAMS[stream] === 'kept';
}

export const STREAM_NAMES: readonly StreamName[] = Object.keys(STREAMS).filter(isStreamName);

export const KEPT_STREAMS: readonly StreamName[] = STREAM_NAMES.filter(isKept);

export type Cause =
  | 'new_post'
  | 'post_edited'
  | 'post_deleted'
  | 'coverage'
  | 'oracle'
  | 'ui'
  | 'price'
  | 'spot'
  | 'clock'
  | 'model'
  | 'settings'
  | 'event_opened'
  | 'event_changed'
  | 'event_closed'
  | 'failure';

/** The reason for an output: `cause`, in observation `seq`, received at `at`. */
export interface Trigger {
  readonly seq: number;
  readonly at: number;
  readonly cause: Cause;
}

/** The record under `key` of a stream is now `record`. */
export interface OutputOf<S extends StreamName> extends Trigger {
  readonly stream: S;
  readonly key: string;
  readonly record: StreamRecords[S];
}

export type Output = { readonly [S in StreamName]: OutputOf<S> }[StreamName];
