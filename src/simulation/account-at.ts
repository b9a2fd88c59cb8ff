import { type AccountNow, accountNow, accountSeries, lowerBound } from '../../streams/internal.ts';
import { areSame } from './post-times.ts';

/** All events of two accounts are asked about at once, each from up to three points of view. */
const KEPT_ACCOUNTS = 6;

interface KeptAccount {
  readonly fromAt: number;
  readonly now: number;
  readonly posts: Float64Array;
  readonly account: AccountNow;
}

const kept: KeptAccount[] = [];

/**
 * Where an account stands at `now`. Going through years of posts costs more than a simulation, so it is done once
 * for all events of an update; it is used again only for the very same posts.
 */
export function accountAt(postTimes: Float64Array, fromAt: number, now: number): AccountNow {
  const posts = postTimes.subarray(0, lowerBound(postTimes, now));
  const known = kept.find((each) => each.now === now && each.fromAt === fromAt && areSame(each.posts, posts));
  if (known !== undefined) return known.account;
  const account = accountNow(accountSeries(posts, fromAt, now));
  kept.unshift({ fromAt, now, posts, account });
  kept.length = Math.min(kept.length, KEPT_ACCOUNTS);
  return account;
}
