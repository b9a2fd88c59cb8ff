import { type AccountId, DAY_MS } from '../../streams/internal.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Endpoints } from '../sources/endpoints.ts';
import type { Latest } from '../views/latest.ts';
import { followingCost, usdOf } from './following-cost.ts';
import type { Logger } from './logger.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

interface CostParts {
  readonly config: Config;
  readonly endpoints: Endpoints;
  readonly latest: Latest;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Tells the operator at the start what reading the posts of each account will cost, which posts are late because the posts
 * API is not asked for them, and what has to wait because the hosts allow less than all accounts together may ask.
 */
export function tellCost({ config, endpoints, latest, clock, log }: CostParts): void {
  const cost = followingCost(config, endpoints);
  const listed = cost.accounts.filter(({ via }) => via === 'oracle_list').map(({ segment }) => segment);
  if (listed.length > 0) {
    log.warn({ accounts: listed }, "posts are read from the oracle's list, which is free but minutes late");
  }
  for (const account of cost.accounts.filter(({ via }) => via === 'timeline')) {
    const { id, segment, requestsPerDay, fewestRequestsPerDay, readsPerPost, usdPer100Posts } = account;
    const postsPerDay = postsADay(latest, id, clock.wall());
    log.info(
      {
        account: segment,
        requestsPerDay,
        ...(fewestRequestsPerDay < requestsPerDay && { fewestRequestsPerDay }),
        readsPerPost,
        usdPer100Posts,
        postsPerDay,
        readsPerMonth: postsPerDay === null ? null : MONTH_DAYS * postsPerDay * readsPerPost,
        usdPerDay: postsPerDay === null ? null : usdOf(postsPerDay * readsPerPost, config.posts),
      },
      'the posts API costs at most this',
    );
  }
  const { requestsPer15Minutes, limitPer15Minutes: limit, countIntervalMs } = cost;
  if (limit !== null && requestsPer15Minutes > limit) {
    log.warn(
      { requestsPer15Minutes, limit },
      'the accounts may need more requests than the posts API allows, and are then polled more slowly; poll them more slowly yourself',
    );
  }
  const staleMs = Math.min(...config.accounts.map(({ staleAfterMs }) => staleAfterMs.oracle));
  if (countIntervalMs >= staleMs) {
    log.warn(
      { countSeconds: Math.round(countIntervalMs / 1_000), staleSeconds: staleMs / 1_000 },
      'the counts of so many accounts cannot be read from the oracle before they are stale; follow fewer accounts, or raise the limit',
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
