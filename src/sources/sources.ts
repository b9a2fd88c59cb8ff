import { cryptoSource } from './crypto/crypto.ts';
import { type Endpoints, hasApi } from './endpoints.ts';
import { eventsSource } from './market/events.ts';
import { pricesSource } from './market/prices.ts';
import { uiSource } from './market/ui-count.ts';
import { oracleSource } from './oracle/oracle.ts';
import { archiveSource } from './posts/archive.ts';
import { deletionsSource } from './posts/deletions.ts';
import { listedSource } from './posts/listed.ts';
import { postsSource } from './posts/posts.ts';
import { SOURCE_SETTINGS, type SourceSettings } from './settings.ts';
import type { Source } from './source.ts';

/** Every source: five per account, or three when posts are read from the oracle's list alone, and three for all. */
export function createSources(
  endpoints: Endpoints,
  settings: Partial<SourceSettings> = {},
): readonly Source[] {
  const all = { ...SOURCE_SETTINGS, ...settings };
  return [
    eventsSource(endpoints, all),
    ...endpoints.accounts.flatMap((account) => [
      ...(hasApi(endpoints)
        ? [
            postsSource(account, endpoints, all),
            archiveSource(account, endpoints, all),
            deletionsSource(account, endpoints, all),
          ]
        : [listedSource(account, endpoints, all)]),
      oracleSource(account, endpoints, all),
      uiSource(account, endpoints, all),
    ]),
    pricesSource(endpoints, all),
    cryptoSource(endpoints, all),
  ];
}
