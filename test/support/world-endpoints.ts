import type { Endpoints } from '../../src/sources/endpoints.ts';
import type { WorldAddresses } from '../../src/world/world.ts';

/** The stand-in world as the sources are told of it. */
export function worldEndpoints(world: WorldAddresses): Endpoints {
  return {
    userAgent: 'test',
    accounts: world.accounts.map(({ id, userId, handle, seriesSlugs, slugPrefix }) => ({
      id,
      userId,
      handle,
      platform: 'X',
      seriesSlugs,
      slugPrefixes: [`${slugPrefix}-`],
    })),
    posts: {
      baseUrl: world.posts,
      bearerToken: world.postsToken,
      fieldPrefix: 'tweet',
      webBase: 'https://posts.invalid',
    },
    oracle: { baseUrl: world.oracle },
    market: { baseUrl: world.market, tagIds: [Number(world.postsTag.id), Number(world.cryptoTag.id)] },
    book: { baseUrl: world.book },
    bookSocket: { url: world.bookSocket },
    positions: { baseUrl: world.positions },
    crypto: {
      socketUrl: world.cryptoSocket.replace(/\/ws$/, ''),
      restUrl: world.cryptoRest,
      symbols: world.cryptoSymbols.map((pair) => ({
        symbol: pair.replace('USDT', ''),
        pair,
        slugNames: [pair.startsWith('BTC') ? 'bitcoin' : 'ethereum', pair.replace('USDT', '').toLowerCase()],
      })),
    },
  };
}
