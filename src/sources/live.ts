import type { AccountEndpoint, CryptoSymbol, EndpointsWithApi } from './endpoints.ts';

/** The addresses and names of the live providers. No other file names them. */

const TIMELINE_PLATFORM = 'X';

/**
 * The accounts that have such markets, each with the id that it has when accounts are asked for by number. A user id that
 * is null was never seen in an answer of the oracle; it is looked up there at the start.
 */
const CATALOGUE: readonly AccountEndpoint[] = [
  {
    id: 'a',
    userId: '44196397',
    handle: 'elonmusk',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['elon-tweets', 'elon-tweets-48h', 'elon-tweet-daily'],
    slugPrefixes: ['elon-musk-of-tweets-'],
  },
  {
    id: 'b',
    userId: '1120633726478823425',
    handle: 'ZelenskyyUa',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['zelenskyy-tweets'],
    slugPrefixes: ['zelenskyy-of-tweets-'],
  },
  {
    id: 'c',
    userId: '107780257626128497',
    handle: 'realDonaldTrump',
    // The posts API does not have it: its posts come from the oracle's list.
    platform: 'TRUTH_SOCIAL',
    postPage: 'https://truthsocial.com/@realDonaldTrump/{id}',
    seriesSlugs: ['trump-truth-social'],
    slugPrefixes: ['donald-trump-of-truth-social-posts-'],
  },
  {
    id: 'd',
    userId: '23022687',
    handle: 'tedcruz',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['ted-cruz-daily-tweets'],
    slugPrefixes: ['ted-cruz-of-tweets-'],
  },
  {
    id: 'e',
    userId: null,
    handle: 'WhiteHouse',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['whitehouse-daily-tweets'],
    slugPrefixes: ['white-house-of-tweets-'],
  },
  {
    id: 'f',
    userId: null,
    handle: 'NYCMayor',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['nycmayor-tweets'],
    slugPrefixes: ['nyc-mayor-of-tweets-'],
  },
  {
    id: 'g',
    userId: null,
    handle: 'khamenei_ir',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['khamenei-daily-tweets'],
    slugPrefixes: ['khamenei-of-tweets-'],
  },
  {
    id: 'h',
    userId: null,
    handle: 'cz_binance',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['cz-tweets'],
    slugPrefixes: ['cz-binance-of-tweets-'],
  },
  {
    id: 'i',
    userId: null,
    handle: 'Cobratate',
    platform: TIMELINE_PLATFORM,
    seriesSlugs: ['andrew-tate-tweets'],
    slugPrefixes: ['andrew-tate-of-tweets-'],
  },
];

const CRYPTO_SYMBOLS: readonly CryptoSymbol[] = [
  { symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['bitcoin', 'btc'] },
  { symbol: 'ETH', pair: 'ETHUSDT', slugNames: ['ethereum', 'eth'] },
  { symbol: 'SOL', pair: 'SOLUSDT', slugNames: ['solana', 'sol'] },
  { symbol: 'XRP', pair: 'XRPUSDT', slugNames: ['xrp'] },
];

/** The live providers, with every account of the catalogue. */
export function liveEndpoints({ postsToken }: { readonly postsToken: string }): EndpointsWithApi {
  return {
    userAgent: 'Mozilla/5.0 (compatible; tallywire)',
    accounts: CATALOGUE,
    postsApi: {
      baseUrl: 'https://api.x.com',
      bearerToken: postsToken,
      fieldPrefix: 'tweet',
      platform: TIMELINE_PLATFORM,
      limits: { timeline: 10_000, lookup: 3_500 },
    },
    webBase: 'https://x.com',
    // It names no limit. Programs that keep this gap were not banned.
    oracle: { baseUrl: 'https://xtracker.polymarket.com/api', gapMs: 300 },
    // 500 requests for events in 10 s, of which a fifth is left for other programs at this address.
    market: {
      baseUrl: 'https://gamma-api.polymarket.com',
      pages: 'https://polymarket.com/event',
      tagIds: [972],
      gapMs: 25,
    },
    // 500 in 10 s too.
    book: { baseUrl: 'https://clob.polymarket.com', gapMs: 25 },
    bookSocket: { url: 'wss://ws-subscriptions-clob.polymarket.com/ws/market' },
    positions: { baseUrl: 'https://data-api.polymarket.com' },
    crypto: {
      socketUrl: 'wss://stream.binance.com:9443',
      restUrl: 'https://api.binance.com',
      symbols: CRYPTO_SYMBOLS,
    },
  };
}
