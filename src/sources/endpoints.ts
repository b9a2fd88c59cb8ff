import { type AccountId, MINUTE_MS, type PostsVia } from '../../streams/internal.ts';
import type { Pace } from './pace.ts';
import type { Polling } from './posts/poll-interval.ts';

/** A tracked account as the outside world knows it. */
export interface AccountEndpoint {
  readonly id: AccountId;
  /** The platform's id of the user: digits. Null while it is not known: it is looked up by the handle then. */
  readonly userId: string | null;
  readonly handle: string;
  /** The oracle's name of the account, where that is not its handle. */
  readonly oracleId?: string | undefined;
  /** The oracle's name of the platform the account posts on. */
  readonly platform: string;
  /** An event belongs to the account when it is in one of these series, */
  readonly seriesSlugs: readonly string[];
  /** or when its slug starts with one of these. */
  readonly slugPrefixes: readonly string[];
  /** Where a reader's browser finds a post of it, with `{id}` in it; on `webBase` when absent. */
  readonly postPage?: string | undefined;
  /** Where its posts are read, if both are possible; the timeline when absent. */
  readonly postsFrom?: PostsVia | undefined;
  /** How often its timeline is asked for new posts; each `postsPeriodMs` of the settings when absent. */
  readonly polling?: Polling | undefined;
}

/** An account whose id on the platform is known. */
export interface IdentifiedAccount extends AccountEndpoint {
  readonly userId: string;
}

export interface CryptoSymbol {
  /** Our name, such as `BTC`. */
  readonly symbol: string;
  /** The exchange's name of the market, such as `BTCUSDT`. */
  readonly pair: string;
  /** Its names in event slugs, the long one first. */
  readonly slugNames: readonly string[];
}

/** The kinds of requests to the posts API that it limits each on its own. */
export type PostsRequestKind = 'timeline' | 'lookup';

/** A host that is asked for documents. Its address has no slash at the end. */
interface Host {
  readonly baseUrl: string;
  /** The shortest time between two requests to it, all accounts together, in ms; 0 when absent. */
  readonly gapMs?: number | undefined;
  /** Whose turn it is to ask; anybody's at any time when absent. */
  readonly pace?: Pace | undefined;
}

/** The posts API, which answers only with a token. */
interface PostsApi {
  readonly baseUrl: string;
  readonly bearerToken: string;
  /** The platform whose posts it has, as the oracle names it. */
  readonly platform: string;
  /** Requests that it allows an app in a quarter of an hour, of each kind; absent when it has no limit. */
  readonly limits?: Readonly<Record<PostsRequestKind, number>> | undefined;
  readonly paces?: Readonly<Record<PostsRequestKind, Pace>> | undefined;
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
  readonly oracle: Host;
  /** `tagIds` are the tags whose events are listed. A reader's browser finds an event at `<pages>/<slug>`. */
  readonly market: Host & { readonly tagIds: readonly number[]; readonly pages: string };
  readonly book: Host;
  readonly bookSocket: { readonly url: string };
  readonly positions: { readonly baseUrl: string };
  readonly crypto: {
    readonly socketUrl: string;
    readonly restUrl: string;
    readonly symbols: readonly CryptoSymbol[];
  };
}

export type EndpointsWithApi = Endpoints & { readonly postsApi: PostsApi };

function hasApi(endpoints: Endpoints): endpoints is EndpointsWithApi {
  return endpoints.postsApi !== null;
}

/** The posts API limits requests in spans of this length. */
export const LIMITED_MS = 15 * MINUTE_MS;

/** Requests with this gap, in ms, keep a limit of the posts API. */
export function gapOfLimit(limit: number): number {
  return LIMITED_MS / limit;
}

/** The endpoints with the posts API where the account's timeline is read; undefined where the oracle's list is. */
export function timelineEndpoints(
  { platform, postsFrom = 'timeline' }: AccountEndpoint,
  endpoints: Endpoints,
): EndpointsWithApi | undefined {
  if (!hasApi(endpoints) || postsFrom === 'oracle_list') return undefined;
  return endpoints.postsApi.platform === platform ? endpoints : undefined;
}

/** Where the posts of the account with this id are read. */
export function viaOf(id: AccountId, endpoints: Endpoints): PostsVia {
  const account = endpoints.accounts.find((each) => each.id === id);
  return account && timelineEndpoints(account, endpoints) ? 'timeline' : 'oracle_list';
}

/** The address of the account at the oracle, without a query. */
export function oracleUserUrl({ handle, oracleId = handle }: AccountEndpoint, { oracle }: Endpoints): string {
  return `${oracle.baseUrl}/users/${encodeURIComponent(oracleId)}`;
}
