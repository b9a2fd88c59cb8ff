import type { Account } from './life/accounts.ts';
import { CRYPTO_TAG, POSTS_TAG } from './market/event.ts';
import { CRYPTO_SYMBOLS } from './market/spot-price.ts';
import { WORLD_WALLETS } from './market/wallets.ts';
import { POSTS_TOKEN } from './wire/posts-rest.ts';

type WorldAccount = Pick<
  Account,
  'id' | 'name' | 'handle' | 'userId' | 'oracleUserId' | 'slugPrefix' | 'seriesSlugs'
>;

/** Where each role of the world answers, and the names a reader needs. Plain data: it is also served as JSON. */
export interface WorldAddresses {
  readonly posts: string;
  readonly postsToken: string;
  readonly oracle: string;
  readonly market: string;
  readonly book: string;
  readonly bookSocket: string;
  readonly positions: string;
  readonly cryptoSocket: string;
  readonly cryptoRest: string;
  readonly facilitator: string;
  readonly chain: string;
  readonly control: string;
  readonly accounts: readonly WorldAccount[];
  readonly cryptoSymbols: readonly string[];
  readonly postsTag: { readonly id: string; readonly slug: string };
  readonly cryptoTag: { readonly id: string; readonly slug: string };
  readonly wallets: Readonly<Record<string, string>>;
}

export function addressesOf(url: string, accounts: readonly Account[]): WorldAddresses {
  const socketUrl = url.replace(/^http/, 'ws');
  return {
    posts: `${url}/posts-api`,
    postsToken: POSTS_TOKEN,
    oracle: `${url}/oracle/api`,
    market: `${url}/market`,
    book: `${url}/book`,
    bookSocket: `${socketUrl}/book/ws/market`,
    positions: `${url}/positions-api`,
    cryptoSocket: `${socketUrl}/crypto/ws`,
    cryptoRest: `${url}/crypto`,
    facilitator: `${url}/facilitator`,
    chain: `${url}/chain`,
    control: `${url}/control`,
    accounts: accounts.map(({ id, name, handle, userId, oracleUserId, slugPrefix, seriesSlugs }) => ({
      id,
      name,
      handle,
      userId,
      oracleUserId,
      slugPrefix,
      seriesSlugs,
    })),
    cryptoSymbols: CRYPTO_SYMBOLS.map(({ symbol }) => symbol),
    postsTag: { id: POSTS_TAG.id, slug: POSTS_TAG.slug },
    cryptoTag: { id: CRYPTO_TAG.id, slug: CRYPTO_TAG.slug },
    wallets: WORLD_WALLETS,
  };
}
