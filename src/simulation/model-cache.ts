import {
  type AccountId,
  type AccountNow,
  accountNow,
  DAY_MS,
  lowerBound,
  type ModelParams,
} from '../../streams/internal.ts';
import { fitTo } from './fit.ts';
import { type KnownPosts, seriesAt } from './known-posts.ts';
import { createPostsCache } from './posts-cache.ts';

const WEEK_MS = 7 * DAY_MS;
/** The events of two accounts are forecast together, each account at up to three instants. */
const ACCOUNTS = 6;
/** The past of each account is forecast week by week, and older fits are not needed again. */
const FITS = 4;

function nameOf({ prior }: KnownPosts): string {
  return prior === undefined ? '' : `${prior.postsPerDay} ${prior.days}`;
}

/** Results that several requests share. Each takes longer than a simulation. */
export interface ModelCache {
  /** The state of an account at `now`, computed once for all its events. */
  accountAt(known: KnownPosts, now: number): AccountNow;
  /** The fit to the posts before the week of `now`, for all forecasts of that week. */
  fitOfWeek(account: AccountId, known: KnownPosts, now: number): ModelParams;
}

export function createModelCache(): ModelCache {
  const accounts = createPostsCache<AccountNow>(ACCOUNTS);
  const fits = createPostsCache<ModelParams>(FITS);
  return {
    accountAt(known, now) {
      const posts = known.postTimes.subarray(0, lowerBound(known.postTimes, now));
      const name = `${known.fromAt} ${now} ${nameOf(known)}`;
      return accounts(name, posts, () => accountNow(seriesAt({ ...known, postTimes: posts }, now)));
    },
    fitOfWeek(account, known, now) {
      const weekAt = Math.floor(now / WEEK_MS) * WEEK_MS;
      const posts = known.postTimes.subarray(0, lowerBound(known.postTimes, weekAt));
      const name = `${account} ${weekAt} ${known.fromAt} ${nameOf(known)}`;
      return fits(name, posts, () => fitTo({ ...known, postTimes: posts }, weekAt));
    },
  };
}
