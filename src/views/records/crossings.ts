import {
  type Bucket,
  type BucketSignal,
  type Counters,
  contains,
  type EventRecord,
  type EventSignals,
  HOUR_MS,
  type Lag,
  MINUTE_MS,
  type Percentiles,
  type Post,
  type Prediction,
  poissonTail,
  takerFee,
  type Velocity,
} from '../../../streams/internal.ts';
import { cents } from '../portfolio/money.ts';
import { round4 } from '../round.ts';
import { type Crossing, worded } from './crossing-text.ts';
import { percentilesToWire } from './lag.ts';

/** A counter that is behind for longer counts differently, as the measurement of lags takes it too. */
const LEAD_MS = 2 * HOUR_MS;
/** What "soon" means, and from which probability on an edge is near. */
const SOON_MS = 15 * MINUTE_MS;
const LEAST_NEAR = 0.1;
/** Percentiles of fewer posts say nothing about what is unusual. */
const LEAST_LAGS = 5;
const LEAST_FLIP = 0.1;
const FLIP_WITHIN_MS = 6 * HOUR_MS;
const NO_LAGS: Percentiles = { n: 0, p50: null, p90: null, p99: null };

/** The latest values about an active event. */
export interface CrossingFacts {
  readonly now: number;
  readonly event: Pick<EventRecord, 'startAt' | 'endAt' | 'buckets'>;
  readonly signals: Pick<EventSignals, 'stale' | 'buckets'>;
  readonly counters: Counters;
  readonly lag: Lag | undefined;
  readonly velocity: Velocity | undefined;
  readonly prediction: Pick<Prediction, 'flipRisk'> | undefined;
  /** The newest posts of the account, newest first. */
  readonly posts: readonly Post[];
}

/**
 * What our own count knows before the oracle and the market do. A number made of a stale input would only look fresh, so
 * there is none then, and none of a bucket that is settled or that the oracle's count has passed.
 */
export function crossingsOf(facts: CrossingFacts): readonly Crossing[] {
  const { now, event, signals } = facts;
  if (signals.stale.length > 0 || now >= event.endAt) return [];
  return [...leftBuckets(facts), ...stall(facts), ...nearEdge(facts), ...likelyFlip(facts)].map((crossing) =>
    worded(crossing, now),
  );
}

type Wordless = Parameters<typeof worded>[0];
type OfKind<Kind extends Crossing['kind']> = Extract<Wordless, { readonly kind: Kind }>;

function sharedFacts({ counters, lag }: CrossingFacts) {
  return {
    real_counter: counters.real,
    market_oracle_counter: counters.oracle,
    market_ui_counter: counters.ui,
    oracle_lag: percentilesToWire(lag?.oracle ?? NO_LAGS),
  };
}

function leftBuckets(facts: CrossingFacts): readonly OfKind<'count_left_bucket'>[] {
  const { real, oracle } = facts.counters;
  if (real === null || oracle === null) return [];
  const found = openBuckets(facts).flatMap((bucket) => {
    const { hi, bid } = bucket;
    if (hi === null || real <= hi || oracle > hi || bid === null || bid <= 0) return [];
    return [{ crossing: leftBucket(facts, bucket, bid, real - hi), hi }];
  });
  const gainOf = ({ crossing }: (typeof found)[number]) => crossing.gain_usd ?? Number.NEGATIVE_INFINITY;
  return found
    .sort((a, b) => (gainOf(a) === gainOf(b) ? a.hi - b.hi : gainOf(b) - gainOf(a)))
    .map(({ crossing }) => crossing);
}

function leftBucket(
  facts: CrossingFacts,
  { title, token, bidSize, prob, fee }: BucketSignal,
  bid: number,
  above: number,
): OfKind<'count_left_bucket'> {
  const gain = bid - takerFee(bid, fee);
  return {
    kind: 'count_left_bucket',
    ...sharedFacts(facts),
    bucket: title,
    token_id: token,
    best_bid: round4(bid) ?? 0,
    bid_size: round4(bidSize),
    model_prob: prob,
    gain_usd: bidSize === null ? null : cents(gain * bidSize),
    expected_value_usd: bidSize === null || prob === null ? null : cents((gain - prob) * bidSize),
    // Our own count is the number of these posts, so this one took it past the bucket.
    since_ts: recentPosts(facts)[above - 1]?.seenAt ?? null,
  };
}

function stall(facts: CrossingFacts): readonly OfKind<'oracle_stalled'>[] {
  const { now, counters, lag } = facts;
  const behind = counters.settlementDelta ?? 0;
  const { n, p90, p99 } = lag?.oracle ?? NO_LAGS;
  if (behind <= 0 || n < LEAST_LAGS || p90 === null || p99 === null) return [];
  const limit = Math.max(p99, 2 * p90);
  const waiting = recentPosts(facts)
    .filter(({ deletedAt, oracleAt }) => deletedAt === null && oracleAt === null)
    .slice(0, behind)
    .filter(({ createdAt }) => now - createdAt > limit);
  const oldest = waiting.at(-1);
  if (oldest === undefined) return [];
  return [
    {
      kind: 'oracle_stalled',
      ...sharedFacts(facts),
      waiting: waiting.length,
      since_ts: oldest.createdAt,
      limit_ms: limit,
      ...purchaseOf(bestPurchase(openBuckets(facts))),
    },
  ];
}

function nearEdge(facts: CrossingFacts): readonly OfKind<'near_edge'>[] {
  const { real, oracle } = facts.counters;
  const hourly = facts.velocity?.counted1h ?? null;
  const buckets = openBuckets(facts);
  const own = bucketAt(buckets, real);
  if (real === null || hourly === null || own === undefined || own.hi === null) return [];
  const next = bucketAt(buckets, own.hi + 1);
  if (next === undefined || (oracle !== null && oracle > own.hi)) return [];
  const needed = own.hi + 1 - real;
  const withinMs = Math.min(SOON_MS, facts.event.endAt - facts.now);
  const probability = poissonTail((hourly * withinMs) / HOUR_MS, needed).at(-1) ?? 0;
  if (probability < LEAST_NEAR) return [];
  const { best_ask, ask_size, model_prob, expected_value_usd } = purchaseOf(next);
  return [
    {
      kind: 'near_edge',
      ...sharedFacts(facts),
      bucket: own.title,
      next_bucket: next.title,
      next_token_id: next.token,
      posts_to_next: needed,
      within_ms: withinMs,
      probability: round4(probability) ?? 0,
      velocity_counted_1h: hourly,
      best_ask,
      ask_size,
      model_prob,
      expected_value_usd,
    },
  ];
}

function likelyFlip(facts: CrossingFacts): readonly OfKind<'flip_likely'>[] {
  const { now, event, counters, prediction } = facts;
  const risk = prediction?.flipRisk ?? null;
  if (risk === null || risk < LEAST_FLIP || event.endAt - now > FLIP_WITHIN_MS) return [];
  const buckets = openBuckets(facts);
  const shown = bucketAt(buckets, counters.oracle);
  const others = shown === undefined ? [] : buckets.filter((bucket) => bucket !== shown);
  return [
    {
      kind: 'flip_likely',
      ...sharedFacts(facts),
      flip_risk: round4(risk) ?? 0,
      real_bucket: bucketAt(buckets, counters.real)?.title ?? null,
      oracle_bucket: shown?.title ?? null,
      ...purchaseOf(mostProbable(others)),
    },
  ];
}

/** What buying all of a bucket at its best ask is worth by the forecast, after the fee; null unless that is a gain. */
function purchaseGain({ ask, askSize, edgeNet }: BucketSignal): number | null {
  if (ask === null || askSize === null || edgeNet === null) return null;
  const gain = cents(edgeNet * askSize);
  return gain > 0 ? gain : null;
}

function purchaseOf(bucket: BucketSignal | undefined) {
  return {
    bucket: bucket?.title ?? null,
    token_id: bucket?.token ?? null,
    best_ask: round4(bucket?.ask ?? null),
    ask_size: round4(bucket?.askSize ?? null),
    model_prob: bucket?.prob ?? null,
    expected_value_usd: bucket === undefined ? null : purchaseGain(bucket),
  };
}

/** The lowest of those that are worth most. */
function bestPurchase(buckets: readonly BucketSignal[]): BucketSignal | undefined {
  const worth = buckets.filter((bucket) => purchaseGain(bucket) !== null);
  return worth.toSorted((a, b) => (purchaseGain(b) ?? 0) - (purchaseGain(a) ?? 0))[0];
}

/** The lowest of those that the forecast gives most. */
function mostProbable(buckets: readonly BucketSignal[]): BucketSignal | undefined {
  const known = buckets.filter(({ prob }) => prob !== null);
  return known.toSorted((a, b) => (b.prob ?? 0) - (a.prob ?? 0))[0];
}

/** The buckets that are not settled. */
function openBuckets({ event, signals }: CrossingFacts): readonly BucketSignal[] {
  const isSettled = ({ won }: Bucket) => won !== null;
  const settled = new Set(event.buckets.filter(isSettled).map(({ yesToken }) => yesToken));
  return signals.buckets.filter(({ token }) => !settled.has(token));
}

function bucketAt(buckets: readonly BucketSignal[], count: number | null): BucketSignal | undefined {
  if (count === null) return undefined;
  return buckets.find(({ lo, hi }) => lo !== null && contains({ lo, hi }, count));
}

/** The posts in our own count that are young enough for a lead, newest first. */
function recentPosts({ now, event: { startAt, endAt }, posts }: CrossingFacts): readonly Post[] {
  const from = Math.max(startAt ?? now, now - LEAD_MS);
  return posts.filter(({ isCounted, createdAt }) => isCounted && createdAt >= from && createdAt < endAt);
}
