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
/** Requests for all events of two accounts come together, each seen from up to three points of view. */
const ACCOUNTS = 6;
/** Histories are worked through week by week for each account: older fits are not needed again. */
const FITS = 4;

/** Results that several requests share. Each costs more than a simulation. */
export interface ModelCache {
  /** The state of an account at `now`: its years of posts are gone through once for all events of an update. */
  accountAt(postTimes: Float64Array, fromAt: number, now: number): AccountNow;
  /** The fit to the posts before the week of `now`: it serves all forecasts of that week, and sees nothing later. */
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
