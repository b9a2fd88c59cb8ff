import type { Config } from '../config/config.ts';
import type { Endpoints } from '../sources/endpoints.ts';

/** The endpoints with the polling of each account that is not polled as all are. */
export function withPolling(
  endpoints: Endpoints,
  { accounts, posts }: Pick<Config, 'accounts' | 'posts'>,
): Endpoints {
  const own = accounts.filter(
    ({ polling: { fastestMs, slowestMs } }) => fastestMs !== posts.periodMs || slowestMs !== posts.periodMs,
  );
  const pollings = new Map(own.map(({ id, polling }) => [id, polling]));
  return {
    ...endpoints,
    accounts: endpoints.accounts.map((account) => ({ ...account, polling: pollings.get(account.id) })),
  };
}
