import { type AccountId, DAY_MS, type PostsVia } from '../../streams/internal.ts';
import type { AccountConfig } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { type Endpoints, LIMITED_MS, viaOf } from '../sources/endpoints.ts';
import { countIntervalMs } from '../sources/oracle/count-interval.ts';
import { readsPerPost } from '../sources/posts/read-estimate.ts';

/** What the posts of an account take of the posts API at most. */
interface PostsCost {
  /** For new posts, while it is polled the fastest. */
  readonly requestsPerDay: number;
  /** While it is polled the slowest. */
  readonly fewestRequestsPerDay: number;
  /** While it is polled the fastest. */
  readonly requestsPer15Minutes: number;
  readonly readsPerPost: number;
  readonly usdPer100Posts: number;
}

interface AccountCost extends PostsCost {
  readonly id: AccountId;
  readonly segment: string;
  readonly via: PostsVia;
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

/** Posts of the oracle's list are free. */
const FREE: PostsCost = {
  requestsPerDay: 0,
  fewestRequestsPerDay: 0,
  requestsPer15Minutes: 0,
  readsPerPost: 0,
  usdPer100Posts: 0,
};

/** What following the accounts takes of the hosts, before anything is known of how much they post. */
export function followingCost({ accounts, posts }: CostConfig, endpoints: Endpoints): FollowingCost {
  const costs = accounts.map(({ id, segment, polling }) => {
    const via = viaOf(id, endpoints);
    return { id, segment, via, ...(via === 'timeline' ? timelineCost(polling, posts) : FREE) };
  });
  return {
    accounts: costs,
    requestsPer15Minutes: costs.reduce((sum, { requestsPer15Minutes }) => sum + requestsPer15Minutes, 0),
    limitPer15Minutes: endpoints.postsApi?.limits?.timeline ?? null,
    countIntervalMs: countIntervalMs(endpoints, WINDOWS),
  };
}

function timelineCost({ fastestMs, slowestMs }: AccountConfig['polling'], posts: Config['posts']): PostsCost {
  const reads = readsPerPost(posts).all;
  return {
    requestsPerDay: Math.round(DAY_MS / fastestMs),
    fewestRequestsPerDay: Math.round(DAY_MS / slowestMs),
    requestsPer15Minutes: Math.round(LIMITED_MS / fastestMs),
    readsPerPost: reads,
    usdPer100Posts: usdOf(100 * reads, posts),
  };
}

/** What so many reads of posts cost, to the cent. */
export function usdOf(reads: number, { usdPer1000Reads }: Pick<Config['posts'], 'usdPer1000Reads'>): number {
  return Math.round((reads * usdPer1000Reads) / 10) / 100;
}
