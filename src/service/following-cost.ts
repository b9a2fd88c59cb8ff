import { type AccountId, DAY_MS, type PostsVia } from '../../streams/internal.ts';
import type { Config } from '../config/config.ts';
import { type Endpoints, LIMITED_MS, viaOf } from '../sources/endpoints.ts';
import { countIntervalMs } from '../sources/oracle/count-interval.ts';
import { readsPerPost } from '../sources/posts/read-estimate.ts';

/** What an account takes of the posts API at most; nothing when its posts are read from the oracle's list. */
interface AccountCost {
  readonly id: AccountId;
  readonly segment: string;
  readonly via: PostsVia;
  /** For new posts, while it is polled the fastest. */
  readonly requestsPerDay: number;
  /** While it is polled the slowest. */
  readonly fewestRequestsPerDay: number;
  /** While it is polled the fastest. */
  readonly requestsPer15Minutes: number;
  readonly readsPerPost: number;
  readonly usdPer100Posts: number;
}

export interface FollowingCost {
  readonly accounts: readonly AccountCost[];
  /** Of all accounts together, while all are polled the fastest. */
  readonly requestsPer15Minutes: number;
  /** What the posts API allows; null when it has no limit or is not asked. */
  readonly limitPer15Minutes: number | null;
  /** About how often each count of the oracle is read, in ms. */
  readonly countIntervalMs: number;
}

type CostConfig = Pick<Config, 'accounts' | 'posts'>;

/** A day, two days and a week: accounts seldom have more windows open at a time. */
const WINDOWS = 3;

/** What following the accounts takes of the hosts, before anything is known of how much they post. */
export function followingCost({ accounts, posts }: CostConfig, endpoints: Endpoints): FollowingCost {
  const reads = readsPerPost(posts).all;
  const costs = accounts.map(({ id, segment, polling }): AccountCost => {
    const via = viaOf(id, endpoints);
    const isAsked = via === 'timeline' ? 1 : 0;
    return {
      id,
      segment,
      via,
      requestsPerDay: Math.round((isAsked * DAY_MS) / polling.fastestMs),
      fewestRequestsPerDay: Math.round((isAsked * DAY_MS) / polling.slowestMs),
      requestsPer15Minutes: Math.round((isAsked * LIMITED_MS) / polling.fastestMs),
      readsPerPost: isAsked * reads,
      usdPer100Posts: usdOf(isAsked * 100 * reads, posts),
    };
  });
  return {
    accounts: costs,
    requestsPer15Minutes: costs.reduce((sum, { requestsPer15Minutes }) => sum + requestsPer15Minutes, 0),
    limitPer15Minutes: endpoints.postsApi?.limits?.timeline ?? null,
    countIntervalMs: countIntervalMs(endpoints, WINDOWS),
  };
}

/** What so many reads of posts cost, to the cent. */
export function usdOf(reads: number, { usdPer1000Reads }: Pick<Config['posts'], 'usdPer1000Reads'>): number {
  return Math.round((reads * usdPer1000Reads) / 10) / 100;
}
