import type { AccountId } from '../../streams/internal.ts';

/** A tracked account as the outside world knows it. */
export interface AccountEndpoint {
  readonly id: AccountId;
  /** The posts API's id of the user: digits. */
  readonly userId: string;
  readonly handle: string;
  /** The oracle's name of the platform the account posts on. */
  readonly platform: string;
  /** An event belongs to the account when it is in one of these series, */
  readonly seriesSlugs: readonly string[];
  /** or when its slug starts with one of these. */
  readonly slugPrefixes: readonly string[];
}

export interface CryptoSymbol {
  /** Our name, such as `BTC`. */
  readonly symbol: string;
  /** The exchange's name of the market, such as `BTCUSDT`. */
  readonly pair: string;
  /** Its names in event slugs, the long one first. */
  readonly slugNames: readonly string[];
}

/** The posts API, which answers only with a token. */
interface PostsApi {
  readonly baseUrl: string;
  readonly bearerToken: string;
  /** The API is renaming its field parameters from `tweet` to `post`. */
  readonly fieldPrefix: 'tweet' | 'post';
}

/** The addresses of all providers and our access to them. Base addresses have no slash at the end. */
export interface Endpoints {
  /** Some hosts refuse callers that do not look like a browser. */
  readonly userAgent: string;
  readonly accounts: readonly AccountEndpoint[];
  /** Null without a token: posts are then read from the oracle's list alone. */
  readonly postsApi: PostsApi | null;
  /** Where a reader's browser finds a post: `<webBase>/<handle>/status/<id>`. */
  readonly webBase: string;
  readonly oracle: { readonly baseUrl: string };
  /** `tagIds` are the tags whose events are listed. */
  readonly market: { readonly baseUrl: string; readonly tagIds: readonly number[] };
  readonly book: { readonly baseUrl: string };
  readonly bookSocket: { readonly url: string };
  readonly positions: { readonly baseUrl: string };
  readonly crypto: {
    readonly socketUrl: string;
    readonly restUrl: string;
    readonly symbols: readonly CryptoSymbol[];
  };
}

export type EndpointsWithApi = Endpoints & { readonly postsApi: PostsApi };

export function hasApi(endpoints: Endpoints): endpoints is EndpointsWithApi {
  return endpoints.postsApi !== null;
}
