import { cryptoSource } from './crypto/crypto.ts';
import { type AccountEndpoint, type Endpoints, gapOfLimit, timelineEndpoints } from './endpoints.ts';
import { eventsSource } from './market/events.ts';
import { pricesSource } from './market/prices.ts';
import { uiSource } from './market/ui-count.ts';
import { oracleSource } from './oracle/oracle.ts';
import { createPace } from './pace.ts';
import { archiveSource } from './posts/archive.ts';
import { deletionsSource } from './posts/deletions.ts';
import { listedSource } from './posts/listed.ts';
import { postsSource } from './posts/posts.ts';
import { SOURCE_SETTINGS, type SourceSettings } from './settings.ts';
import type { Source } from './source.ts';
import { spreadOf, startSpread } from './spread.ts';

/** Every source: five per account, or three when its posts are read from the oracle's list alone, and three for all. */
export function createSources(
  endpoints: Endpoints,
  settings: Partial<SourceSettings> = {},
): readonly Source[] {
  const all = { ...SOURCE_SETTINGS, ...settings };
  const paced = withPaces(endpoints);
  return [
    eventsSource(paced, all),
    ...paced.accounts.flatMap((account, place) => {
      const spread = spreadOf(place);
      return accountSources(account, paced, { ...all, spread }).map((source) => startSpread(source, spread));
    }),
    pricesSource(paced, all),
    cryptoSource(paced, all),
  ];
}

function accountSources(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): readonly Source[] {
  const withApi = timelineEndpoints(account, endpoints);
  const posts =
    withApi === undefined
      ? [listedSource(account, endpoints, settings)]
      : [
          postsSource(account, withApi, settings),
          archiveSource(account, withApi, settings),
          deletionsSource(account, withApi, settings),
        ];
  return [...posts, oracleSource(account, endpoints, settings), uiSource(account, endpoints, settings)];
}

/** The hosts with their turns, in which all sources ask them. */
function withPaces(endpoints: Endpoints): Endpoints {
  const { accounts, postsApi, oracle, market, book } = endpoints;
  const limits = postsApi?.limits;
  const onTimelines = accounts.filter((account) => timelineEndpoints(account, endpoints)).length;
  return {
    ...endpoints,
    postsApi: postsApi && {
      ...postsApi,
      paces: {
        timeline: createPace({ gapMs: limits && gapOfLimit(limits.timeline), askers: onTimelines }),
        // Deletions, and posts of the oracle's list.
        lookup: createPace({ gapMs: limits && gapOfLimit(limits.lookup), askers: 2 * onTimelines }),
      },
    },
    // Windows with their counts, and the list of posts.
    oracle: { ...oracle, pace: createPace({ gapMs: oracle.gapMs, askers: 2 * accounts.length }) },
    // Pages of each account, and the lists.
    market: { ...market, pace: createPace({ gapMs: market.gapMs, askers: accounts.length + 1 }) },
    // Snapshots, and past prices.
    book: { ...book, pace: createPace({ gapMs: book.gapMs, askers: 2 }) },
  };
}
