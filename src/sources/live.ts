import type { CryptoSymbol, EndpointsWithApi } from './endpoints.ts';

/** The addresses and names of the live providers. No other file names them. */

const CRYPTO_SYMBOLS: readonly CryptoSymbol[] = [
  { symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['bitcoin', 'btc'] },
  { symbol: 'ETH', pair: 'ETHUSDT', slugNames: ['ethereum', 'eth'] },
  { symbol: 'SOL', pair: 'SOLUSDT', slugNames: ['solana', 'sol'] },
  { symbol: 'XRP', pair: 'XRPUSDT', slugNames: ['xrp'] },
];

export function liveEndpoints({ postsToken }: { readonly postsToken: string }): EndpointsWithApi {
  return {
    userAgent: 'Mozilla/5.0 (compatible; tallywire)',
    accounts: [
      {
        id: 'a',
        userId: '44196397',
        handle: 'elonmusk',
        platform: 'X',
        seriesSlugs: ['elon-tweets', 'elon-tweets-48h', 'elon-tweet-daily'],
        slugPrefixes: ['elon-musk-of-tweets-'],
      },
      {
        id: 'b',
        userId: '1120633726478823425',
        handle: 'ZelenskyyUa',
        platform: 'X',
        seriesSlugs: ['zelenskyy-tweets'],
        slugPrefixes: ['zelenskyy-of-tweets-'],
      },
    ],
    postsApi: { baseUrl: 'https://api.x.com', bearerToken: postsToken, fieldPrefix: 'tweet' },
    webBase: 'https://x.com',
    oracle: { baseUrl: 'https://xtracker.polymarket.com/api' },
    market: { baseUrl: 'https://gamma-api.polymarket.com', tagIds: [972] },
    book: { baseUrl: 'https://clob.polymarket.com' },
    bookSocket: { url: 'wss://ws-subscriptions-clob.polymarket.com/ws/market' },
    positions: { baseUrl: 'https://data-api.polymarket.com' },
    crypto: {
      socketUrl: 'wss://stream.binance.com:9443',
      restUrl: 'https://api.binance.com',
      symbols: CRYPTO_SYMBOLS,
    },
  };
}
