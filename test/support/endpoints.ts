import type { EndpointsWithApi, IdentifiedAccount } from '../../src/sources/endpoints.ts';
import { SOURCE_SETTINGS, type SourceSettings } from '../../src/sources/settings.ts';

export const ACCOUNT: IdentifiedAccount = {
  id: 'a',
  userId: '4000',
  handle: 'handle_a',
  platform: 'X',
  seriesSlugs: ['account-a-weekly'],
  slugPrefixes: ['account-a-of-posts-'],
};

/** Every role on one local server. */
export function localEndpoints(server: {
  readonly url: string;
  readonly socketUrl: string;
}): EndpointsWithApi {
  return {
    userAgent: 'test',
    accounts: [ACCOUNT],
    postsApi: { baseUrl: server.url, bearerToken: 'secret', fieldPrefix: 'tweet', platform: 'X' },
    webBase: 'https://posts.invalid',
    oracle: { baseUrl: `${server.url}/oracle` },
    market: { baseUrl: server.url, pages: 'https://market.invalid/event', tagIds: [7] },
    book: { baseUrl: server.url },
    bookSocket: { url: `${server.socketUrl}/ws/market` },
    positions: { baseUrl: server.url },
    crypto: {
      socketUrl: server.socketUrl,
      restUrl: server.url,
      symbols: [{ symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['bitcoin', 'btc'] }],
    },
  };
}

/** Short periods, so that a test sees several polls in no time. */
export const FAST: SourceSettings = {
  ...SOURCE_SETTINGS,
  // No answer in a test is waited for in vain, and a busy machine takes its time.
  timeoutMs: 60_000,
  slowTimeoutMs: 60_000,
  postsPeriodMs: 5,
  postsRecheckPeriodMs: 3_600_000,
  listPeriodMs: 5,
  listPauseMs: 0,
  deletionsPeriodMs: 5,
  trackingsPeriodMs: 3_600_000,
  oraclePeriodMs: 5,
  oraclePastPeriodMs: 5,
  eventsPeriodMs: 5,
  closedEventsPeriodMs: 3_600_000,
  cryptoEventsPeriodMs: 3_600_000,
  settledPeriodMs: 5,
  uiPeriodMs: 5,
  subscriptionsPeriodMs: 5,
  socketPingPeriodMs: 20,
  pricesFlushPeriodMs: 5,
  pricesSilentMs: 5_000,
  booksPeriodMs: 3_600_000,
  spotPeriodMs: 5,
  spotSilentMs: 5_000,
};
