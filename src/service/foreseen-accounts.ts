import type { AccountConfig } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { viaOf } from '../sources/endpoints.ts';
import { sketchOf } from './account-endpoints.ts';
import { withListedLimits } from './listed-limits.ts';
import { foreseenEndpoints } from './upstream.ts';

/** An account as it will be followed, as far as that is known before the world is asked. */
export interface ForeseenAccount {
  readonly account: AccountConfig;
  /** Null where only the world knows it. */
  readonly handle: string | null;
  /** The shortest and the longest time between two looks for new posts, in ms. */
  readonly everyMs: readonly [number, number];
}

/** In the order of the configuration. */
export function foreseenAccounts(config: Config): readonly ForeseenAccount[] {
  const world = foreseenEndpoints(config);
  const unknown = { handle: '', platform: world.postsApi?.platform ?? '', seriesSlugs: [], slugPrefixes: [] };
  const sketches = config.accounts.map((account) => ({ ...unknown, ...sketchOf(account, world.accounts) }));
  const endpoints = { ...world, accounts: sketches };
  const { accounts, posts } = withListedLimits(config, endpoints);
  return accounts.map((account, place) => {
    const { fastestMs, slowestMs } = account.polling;
    const isListed = viaOf(account.id, endpoints) === 'oracle_list';
    return {
      account,
      handle: sketches[place]?.handle || null,
      everyMs: isListed ? [posts.listPeriodMs, posts.listPeriodMs] : [fastestMs, slowestMs],
    };
  });
}
