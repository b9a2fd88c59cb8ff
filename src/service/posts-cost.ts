import { type AccountId, DAY_MS } from '../../streams/internal.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { type Endpoints, LIMITED_MS, viaOf } from '../sources/endpoints.ts';
import { readsPerPost } from '../sources/posts/read-estimate.ts';
import type { Latest } from '../views/latest.ts';
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
 * API is not asked for them, and whether it allows as many requests as all accounts together may make.
 */
export function tellCost({ config, endpoints, latest, clock, log }: CostParts): void {
  const isListed = ({ id }: { readonly id: AccountId }) => viaOf(id, endpoints) === 'oracle_list';
  const listed = config.accounts.filter(isListed).map(({ segment }) => segment);
  if (listed.length > 0) {
    log.warn({ accounts: listed }, "posts are read from the oracle's list, which is free but minutes late");
  }
  const reads = readsPerPost(config.posts).all;
  const usdOf = (posts: number) => Math.round((posts * reads * config.posts.usdPer1000Reads) / 10) / 100;
  let mostInSpan = 0;
  for (const { id, segment, polling } of config.accounts.filter((account) => !isListed(account))) {
    const { fastestMs, slowestMs } = polling;
    mostInSpan += LIMITED_MS / fastestMs;
    const postsPerDay = postsADay(latest, id, clock.wall());
    log.info(
      {
        account: segment,
        requestsPerDay: Math.round(DAY_MS / fastestMs),
        ...(slowestMs > fastestMs && { fewestRequestsPerDay: Math.round(DAY_MS / slowestMs) }),
        readsPerPost: reads,
        usdPer100Posts: usdOf(100),
        postsPerDay,
        readsPerMonth: postsPerDay === null ? null : MONTH_DAYS * postsPerDay * reads,
        usdPerDay: postsPerDay === null ? null : usdOf(postsPerDay),
      },
      'the posts API costs at most this',
    );
  }
  const limit = endpoints.postsApi?.limits?.timeline;
  if (limit === undefined || mostInSpan <= limit) return;
  log.warn(
    { requestsPer15Minutes: Math.round(mostInSpan), limit },
    'the accounts may need more requests than the posts API allows, and are then polled more slowly; poll them more slowly yourself',
  );
}

/** Posts a day of the last week; null while the log has none. */
function postsADay(latest: Latest, account: AccountId, now: number): number | null {
  const posts = latest.posts(account);
  if (posts.length === 0) return null;
  const young = posts.filter(({ record }) => record.createdAt >= now - WEEK_DAYS * DAY_MS);
  return Math.round(young.length / WEEK_DAYS);
}
