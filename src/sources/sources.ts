import { cryptoSource } from './crypto/crypto.ts';
import type { Endpoints } from './endpoints.ts';
import { eventsSource } from './market/events.ts';
import { pricesSource } from './market/prices.ts';
import { uiSource } from './market/ui-count.ts';
import { oracleSource } from './oracle/oracle.ts';
import type { Positions } from './positions/position.ts';
import { positionsOf } from './positions/positions.ts';
import { archiveSource } from './posts/archive.ts';
import { deletionsSource } from './posts/deletions.ts';
import { postsSource } from './posts/posts.ts';
import { SOURCE_SETTINGS, type SourceSettings } from './settings.ts';
import type { Source } from './source.ts';

/** Every source: five per account, and three for all. */
export function createSources(
  endpoints: Endpoints,
  settings: Partial<SourceSettings> = {},
): readonly Source[] {
  const whole = { ...SOURCE_SETTINGS, ...settings };
  return [
    eventsSource(endpoints, whole),
    ...endpoints.accounts.flatMap((account) => [
      postsSource(account, endpoints, whole),
      archiveSource(account, endpoints, whole),
      deletionsSource(account, endpoints, whole),
      oracleSource(account, endpoints, whole),
      uiSource(account, endpoints, whole),
    ]),
    pricesSource(endpoints, whole),
    cryptoSource(endpoints, whole),
  ];
}

/** Reads positions on demand. `refused` counts the answers that were refused. */
export function createPositions(
  endpoints: Endpoints,
  refused: (reason: string) => void = () => {},
  settings: Partial<SourceSettings> = {},
): Positions {
  return positionsOf(endpoints, { ...SOURCE_SETTINGS, ...settings }, refused);
}
