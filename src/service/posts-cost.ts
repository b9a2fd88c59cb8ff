import { type AccountId, DAY_MS } from '../../streams/internal.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { readsPerPost } from '../sources/posts/read-estimate.ts';
import type { Latest } from '../views/latest.ts';
import type { Logger } from './logger.ts';

const WEEK_DAYS = 7;

interface CostParts {
  readonly config: Config;
  readonly latest: Latest;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Tells the operator at the start what reading posts will cost, or what it lacks without the posts API. */
export function tellCost({ config, latest, clock, log }: CostParts): void {
  const { via, periodMs, usdPer1000Reads } = config.posts;
  if (via === 'oracle_list') {
    log.warn("posts are read from the oracle's list, which is free but minutes late");
    return;
  }
  const reads = readsPerPost(config.posts).all;
  const usdOf = (posts: number) => Math.round((posts * reads * usdPer1000Reads) / 10) / 100;
  for (const { id, segment } of config.accounts) {
    const postsPerDay = postsADay(latest, id, clock.wall());
    log.info(
      {
        account: segment,
        requestsPerDay: Math.round(DAY_MS / periodMs),
        readsPerPost: reads,
        usdPer100Posts: usdOf(100),
        postsPerDay,
        usdPerDay: postsPerDay === null ? null : usdOf(postsPerDay),
      },
      'the posts API costs at most this',
    );
  }
}

/** Posts a day of the last week; null while the log has none. */
function postsADay(latest: Latest, account: AccountId, now: number): number | null {
  const posts = latest.posts(account);
  if (posts.length === 0) return null;
  let young = 0;
  for (const { createdAt } of posts.entries()) {
    if (createdAt < now - WEEK_DAYS * DAY_MS) break;
    young += 1;
  }
  return Math.round(young / WEEK_DAYS);
}
