import type { Config } from '../config/config.ts';
import { type Endpoints, viaOf } from '../sources/endpoints.ts';

/**
 * The configuration with the limit of the oracle's list for posts that come from there, though others come from timelines:
 * they are minutes old at the best of times. Which accounts these are is known only with the platform of each.
 */
export function withListedLimits(config: Config, endpoints: Endpoints): Config {
  const { listStaleAfterMs } = config.posts;
  const accounts = config.accounts.map((account) => {
    const { id, staleAfterMs } = account;
    if (viaOf(id, endpoints) === 'timeline' || staleAfterMs.posts >= listStaleAfterMs) return account;
    return { ...account, staleAfterMs: { ...staleAfterMs, posts: listStaleAfterMs } };
  });
  return { ...config, accounts };
}
