import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source } from '../source.ts';
import { createListNews } from './list-news.ts';
import { listReader, listTurnsMs } from './list-reader.ts';

/**
 * The account's posts without a token of the posts API: the oracle's own list of them, which is free and minutes late.
 * A post that leaves the list stays counted. Whether the oracle drops a deleted post, or takes back one that it had
 * wrongly, is not known, and its count was never seen to fall; so a missing row proves no deletion.
 */
export function listedSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  const newsOf = createListNews(account, endpoints);
  return {
    name: `posts:${account.id}`,
    silentAfterMs: 4 * settings.listPeriodMs + 2 * settings.slowTimeoutMs + listTurnsMs(endpoints),
    run: listReader({
      account,
      endpoints,
      settings,
      timelineFrom: () => undefined,
      factsOf: async (span, { context }) => newsOf(span, context),
    }),
  };
}
