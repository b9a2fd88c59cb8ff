import {
  type AccountId,
  type AccountNow,
  accountNow,
  accountSeries,
  DAY_MS,
  lowerBound,
  type ModelParams,
} from '../../streams/internal.ts';
import { fitTo } from './fit.ts';
import { createPostsCache } from './posts-cache.ts';

const WEEK_MS = 7 * DAY_MS;
/** The events of two accounts are forecast together, each account at up to three instants. */
const ACCOUNTS = 6;
/** The past of each account is forecast week by week, and older fits are not needed again. */
const FITS = 4;

/** Results that several requests share. Each takes longer than a simulation. */
export interface ModelCache {
  /** The state of an account at `now`, computed once for all its events. */
  accountAt(postTimes: Float64Array, fromAt: number, now: number): AccountNow;
  /** The fit to the posts before the week of `now`, for all forecasts of that week. */
  fitOfWeek(account: AccountId, postTimes: Float64Array, fromAt: number, now: number): ModelParams;
}

export function createModelCache(): ModelCache {
  const accounts = createPostsCache<AccountNow>(ACCOUNTS);
  const fits = createPostsCache<ModelParams>(FITS);
  return {
    accountAt(postTimes, fromAt, now) {
      const posts = postTimes.subarray(0, lowerBound(postTimes, now));
      return accounts(`${fromAt} ${now}`, posts, () => accountNow(accountSeries(posts, fromAt, now)));
    },
    fitOfWeek(account, postTimes, fromAt, now) {
      const weekAt = Math.floor(now / WEEK_MS) * WEEK_MS;
      const posts = postTimes.subarray(0, lowerBound(postTimes, weekAt));
      return fits(`${account} ${weekAt} ${fromAt}`, posts, () => fitTo(posts, fromAt, weekAt));
    },
  };
}
