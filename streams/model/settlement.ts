import { MINUTE_MS } from './durations.ts';
import {
  anyOf,
  atLeast,
  countOf,
  negated,
  negativeBinomial,
  normalised,
  type Pmf,
  plus,
  probabilityOf,
  shifted,
  thinned,
} from './pmf.ts';

/**
 * The market pays on the oracle's count, which differs from our own. With respect to the oracle each post that we count
 * is included, late (it will be) or lost (it never will be: it was deleted before the oracle read it, or the oracle
 * judges that it does not count), and the oracle includes extra posts that we do not count.
 */

/** The oracle's count of a window and what is known about its age. UTC ms. */
export interface OracleView {
  readonly count: number;
  /** When the oracle last read the posts by its own account; null when it does not say. */
  readonly readAt: number | null;
  /** When it last answered us. */
  readonly answeredAt: number;
  /** The time of the reading, or the answer, that changed the count last. */
  readonly changedAt: number;
}

/** A counted post that was found deleted: when it was made, and how long it was up at most. */
export interface DeletedPost {
  readonly createdAt: number;
  readonly upMs: number;
}

/** How our own final counts differed from the oracle's in closed events, in posts. */
export interface SettledPosts {
  /** Posts that we counted. */
  readonly posts: number;
  /** Of these, expected to have been deleted before the oracle read them. */
  readonly deleted: number;
  /** Of these, missing in the oracle's count for another reason. */
  readonly lost: number;
  /** Posts of the oracle beyond our own. */
  readonly extra: number;
}

export const NONE_SETTLED: SettledPosts = { posts: 0, deleted: 0, lost: 0, extra: 0 };

export interface LagPercentiles {
  readonly n: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
}

/** What the settled count depends on besides our own posts. */
export interface SettlementFacts {
  /** Null while the oracle has no count of the window. */
  readonly oracle: OracleView | null;
  /** From a post's creation until the oracle showed it. */
  readonly lag: LagPercentiles | null;
  readonly deleted: readonly DeletedPost[];
  readonly closed: SettledPosts;
}

/** Our own posts of a window so far. `postTimes` is ascending and may reach beyond the window. */
export interface OwnPosts {
  readonly now: number;
  readonly startAt: number;
  readonly count: number;
  readonly postTimes: ArrayLike<number>;
}

/** An oracle that reads every five minutes, and now and then overlooks a post for a while. */
const USUAL_LAG = { p50: 2.5 * MINUTE_MS, p90: 5 * MINUTE_MS, p99: 20 * MINUTE_MS };
/** The usual lag weighs as much as so many measured ones. */
const USUAL_LAGS = 10;

/** The share of posts that the oracle shows so many ms after their creation. */
export type LagShare = (ms: number) => number;

/** Linear between the percentiles, then a long tail: a post overlooked so far may still be found days later. */
export function lagShareOf(lag: LagPercentiles | null): LagShare {
  const { p50, p90, p99 } = blendedLag(lag);
  return (ms) => {
    if (ms <= 0) return 0;
    if (ms < p50) return (0.5 * ms) / p50;
    if (ms < p90) return 0.5 + (0.4 * (ms - p50)) / (p90 - p50);
    if (ms < p99) return 0.9 + (0.09 * (ms - p90)) / (p99 - p90);
    return 1 - (0.01 * p99) / ms;
  };
}

function blendedLag(lag: LagPercentiles | null) {
  const n = lag?.n ?? 0;
  const blend = (measured: number | null | undefined, usual: number) =>
    measured === null || measured === undefined
      ? usual
      : (n * measured + USUAL_LAGS * usual) / (n + USUAL_LAGS);
  return {
    p50: blend(lag?.p50, USUAL_LAG.p50),
    p90: blend(lag?.p90, USUAL_LAG.p90),
    p99: blend(lag?.p99, USUAL_LAG.p99),
  };
}

/** A young post is looked up each half minute unless set otherwise, and two misses make a deletion: found so late. */
const DELETION_FOUND_MS = 45_000;

/** The probability that a post was deleted before the oracle read it. */
export function deletedUnread(shownWithin: LagShare, { upMs }: DeletedPost): number {
  return 1 - shownWithin(Math.max(0, upMs - DELETION_FOUND_MS));
}

/** Posts made so shortly before a reading may not have been listed yet. */
const LISTING_MS = 30_000;

/**
 * What the oracle may have read, and how probable that is. Its own word may be wrong in both directions: a job that
 * stopped may still report readings, and one that works may not. A count may also be `incomplete`, with posts of any age
 * missing: an oracle that begins to count anew, or shows a wrong number for a while.
 */
const READINGS: readonly {
  readonly prior: number;
  readonly is: 'as stated' | 'stopped' | 'up to date' | 'incomplete';
}[] = [
  { prior: 0.967, is: 'as stated' },
  { prior: 0.02, is: 'stopped' },
  { prior: 0.01, is: 'up to date' },
  { prior: 0.003, is: 'incomplete' },
];

/** The probability, for a post that the oracle will include, that it is not included yet. */
type Unread = (createdAt: number) => number;

function unreadIf(
  is: Exclude<(typeof READINGS)[number]['is'], 'incomplete'>,
  { readAt, answeredAt, changedAt }: OracleView,
  now: number,
  lag: LagPercentiles | null,
): Unread {
  const shownWithin = lagShareOf(lag);
  const { p90 } = blendedLag(lag);
  // A post that a reading has passed by has waited for one already, so its age counts from a usual wait on.
  const passedBy = (byAt: number, createdAt: number) => {
    const age = byAt - createdAt;
    const overlooked = 1 - shownWithin(age + p90);
    return age <= 0 ? 1 : overlooked + (1 - overlooked) * Math.max(0, 1 - age / LISTING_MS);
  };
  if (is === 'stopped') return (createdAt) => passedBy(Math.min(changedAt, now), createdAt);
  if (is === 'as stated' && readAt !== null) return (createdAt) => passedBy(Math.min(readAt, now), createdAt);
  const asOf = is === 'as stated' ? Math.min(answeredAt, now) : now;
  return (createdAt) => 1 - shownWithin(asOf - createdAt);
}

/**
 * How often posts settle otherwise, before anything is known of an account: a gamma distribution of rates, in posts of
 * so many posts. Closed events are added to it.
 */
const USUAL_RATES = {
  deleted: { posts: 0.5, of: 150 },
  lost: { posts: 0.5, of: 150 },
  extra: { posts: 0.25, of: 150 },
};
/** Relative variance of a rate between events: one misjudgement seldom comes alone. */
const RATE_VARIANCE = 0.5;

/** How many more posts of each kind are considered than the counts are apart. */
const SPARE_POSTS = 20;

type Fate = keyof typeof USUAL_RATES;

function rateOf(closed: SettledPosts, fate: Fate): number {
  return (USUAL_RATES[fate].posts + closed[fate]) / (USUAL_RATES[fate].of + closed.posts);
}

/** How many of `posts` posts meet this fate. */
function fateCount(closed: SettledPosts, fate: Fate, posts: number, length = 1): Pmf {
  const seen = USUAL_RATES[fate].posts + closed[fate];
  return negativeBinomial(rateOf(closed, fate) * posts, 1 / (1 / seen + RATE_VARIANCE), length);
}

/**
 * The settled count so far: what the oracle has, and what of our own posts it will still include, given how far the two
 * counts are apart. Nothing lies below the oracle's count. Without one it is our own count less the lost posts and with
 * the extra ones.
 */
export function settledSoFar(own: OwnPosts, facts: SettlementFacts): Pmf {
  const { oracle, lag, deleted, closed } = facts;
  const { now, count } = own;
  const shownWithin = lagShareOf(lag);
  const deletedLost = countOf(deleted.map((post) => deletedUnread(shownWithin, post)));
  if (oracle === null) {
    const gap = plus(
      plus(deletedLost, fateCount(closed, 'lost', count)),
      negated(fateCount(closed, 'extra', count)),
    );
    return atLeast(shifted(negated(gap), count), 0);
  }

  const behind = count - oracle.count;
  const up = postsUp(own, deleted);
  const readings = READINGS.map(({ is, prior }) => {
    // More late posts than the counts are apart would need as many extra ones.
    if (is === 'incomplete') return { prior, late: anyOf(up.length, Math.max(0, behind) + SPARE_POSTS) };
    return { prior, late: countOf(up.map(unreadIf(is, oracle, now, lag))) };
  });
  const mostLate = Math.max(...readings.map(({ late }) => late.probs.length));
  // As many as are needed to explain any distance between the counts, though some of the other kind are among them.
  const mostMissing = mostLate + deletedLost.probs.length;
  const lost = fateCount(closed, 'lost', count, Math.max(0, behind) + SPARE_POSTS);
  const extra = fateCount(closed, 'extra', count, Math.max(0, mostMissing - behind) + SPARE_POSTS);
  const gap = plus(plus(deletedLost, lost), negated(extra));

  const weights = new Array<number>(mostLate).fill(0);
  for (const { prior, late } of readings) {
    late.probs.forEach((prob, posts) => {
      weights[posts] = (weights[posts] ?? 0) + prior * prob * probabilityOf(gap, behind - posts);
    });
  }
  const [{ late: usual } = { late: countOf([]) }] = readings;
  const late = normalised({ least: 0, probs: weights }) ?? usual;
  // What the oracle has not read yet may meet the same fates as a future post.
  return shifted(thinned(late, 1 - rateOf(closed, 'deleted') - rateOf(closed, 'lost')), oracle.count);
}

/** Creation times of our posts of the window that are not known to be deleted. Posts not listed are the newest. */
function postsUp({ now, startAt, count, postTimes }: OwnPosts, deleted: readonly DeletedPost[]): number[] {
  const gone = new Map<number, number>();
  for (const { createdAt } of deleted) gone.set(createdAt, (gone.get(createdAt) ?? 0) + 1);
  const up: number[] = [];
  for (let index = postTimes.length - 1; index >= 0; index--) {
    const createdAt = postTimes[index] ?? now;
    if (createdAt < startAt) break;
    const left = gone.get(createdAt) ?? 0;
    if (left > 0) gone.set(createdAt, left - 1);
    else up.push(createdAt);
  }
  while (up.length + deleted.length < count) up.push(now);
  return up;
}

/** The share of future posts of our own count that settle. */
export function settledShare(closed: SettledPosts): number {
  const share = 1 - rateOf(closed, 'deleted') - rateOf(closed, 'lost') + rateOf(closed, 'extra');
  return Math.max(0.5, Math.min(1.5, share));
}

/** Settled minus own among `posts` future posts. */
export function futureOffset(closed: SettledPosts, posts: number): Pmf {
  const missing = plus(fateCount(closed, 'deleted', posts), fateCount(closed, 'lost', posts));
  return plus(negated(missing), fateCount(closed, 'extra', posts));
}

/** What a closed event adds to the record: its own and the oracle's final count, and our posts that were deleted. */
export function settledPosts(
  own: number,
  final: number,
  deleted: readonly DeletedPost[],
  lag: LagPercentiles | null,
): SettledPosts {
  const shownWithin = lagShareOf(lag);
  const expected = deleted.reduce((sum, post) => sum + deletedUnread(shownWithin, post), 0);
  const missing = Math.max(0, own - final);
  const byDeletion = Math.min(expected, missing);
  return {
    posts: own,
    deleted: byDeletion,
    lost: missing - byDeletion,
    extra: Math.max(0, final - own),
  };
}
