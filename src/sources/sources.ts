import { archiveSource } from './archive.ts';
import { cryptoSource } from './crypto.ts';
import { deletionsSource } from './deletions.ts';
import type { Endpoints } from './endpoints.ts';
import { eventsSource } from './events.ts';
import { oracleSource } from './oracle.ts';
import type { Positions } from './position.ts';
import { positionsOf } from './positions.ts';
import { postsSource } from './posts.ts';
import { pricesSource } from './prices.ts';
import { SOURCE_SETTINGS, type SourceSettings } from './settings.ts';
import type { Source } from './source.ts';
import { uiSource } from './ui.ts';

/** Every source of what the outside world tells: five per account, and three for all. */
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

/** Reads positions on demand. `refused` counts the answers that were not believed. */
export function createPositions(
  endpoints: Endpoints,
  refused: (reason: string) => void = () => {},
  settings: Partial<SourceSettings> = {},
): Positions {
  return positionsOf(endpoints, { ...SOURCE_SETTINGS, ...settings }, refused);
}
