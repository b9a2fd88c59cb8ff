import {
  type AccountPrior,
  type AccountSeries,
  accountSeries,
  type ModelRequest,
} from '../../streams/internal.ts';

/** What a request says of an account's past. */
export type KnownPosts = Pick<ModelRequest, 'postTimes' | 'fromAt' | 'prior'>;

/** The history of an account as known at `now`. */
export function seriesAt({ postTimes, fromAt, prior }: KnownPosts, now: number): AccountSeries {
  return accountSeries(postTimes, fromAt, now, [], prior && assumedFrom(prior));
}

/** A prior is worth as much as if the account had posted at its rate before its history begins. */
function assumedFrom({ postsPerDay, days }: AccountPrior) {
  return { hours: 24 * days, postsPerHour: postsPerDay / 24 };
}
