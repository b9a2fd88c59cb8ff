import {
  type AccountId,
  accountSeries,
  coldStart,
  DAY_MS,
  fitModel,
  lowerBound,
  type ModelParams,
} from '../../streams/internal.ts';
import { areSame } from './post-times.ts';

const WEEK_MS = 7 * DAY_MS;
/** Histories are worked through week by week for each account: older fits are not asked for again. */
const KEPT_FITS = 4;

interface KeptFit {
  readonly account: AccountId;
  readonly weekAt: number;
  readonly fromAt: number;
  /** The posts it was fitted to. */
  readonly posts: Float64Array;
  readonly params: ModelParams;
}

const kept: KeptFit[] = [];

/**
 * What the account's posts before the week of `now` teach: one fit serves all forecasts of a week, and none sees
 * anything later than its own time. A fit is used again only for the very same posts, so that keeping it changes
 * no digit.
 */
export function fitOfWeek(
  account: AccountId,
  postTimes: Float64Array,
  fromAt: number,
  now: number,
): ModelParams {
  const weekAt = Math.floor(now / WEEK_MS) * WEEK_MS;
  const posts = postTimes.subarray(0, lowerBound(postTimes, weekAt));
  const known = kept.find(
    (fit) =>
      fit.account === account && fit.weekAt === weekAt && fit.fromAt === fromAt && areSame(fit.posts, posts),
  );
  if (known !== undefined) return known.params;
  const params = fitTo(posts, fromAt, weekAt);
  kept.unshift({ account, weekAt, fromAt, posts, params });
  kept.length = Math.min(kept.length, KEPT_FITS);
  return params;
}

/** The coefficients of the posts before `now`, or those of an account without a history when there is too little. */
export function fitTo(postTimes: Float64Array, fromAt: number, now: number): ModelParams {
  const fitted = fitModel(accountSeries(postTimes, fromAt, now));
  return fitted.rows > 0 ? fitted : coldStart();
}
