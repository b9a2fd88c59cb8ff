import { TallywireError } from './error.ts';
import { createFeed, type Feed } from './feed/feed.ts';
import type { SessionOptions } from './feed/session.ts';
import type { FeedSocketClass } from './feed/socket.ts';
import { API_PATH, createHttp, type HttpOptions, withoutTrailingSlash } from './http.ts';
import type { Quota } from './quota.ts';
import { createRest, type Rest } from './rest.ts';

export interface ClientOptions extends HttpOptions {
  /** Path segments of the accounts to follow when none is named; all that the service has by default. */
  readonly accounts?: readonly string[] | undefined;
  /** A socket class to use instead of the platform's. */
  readonly WebSocket?: FeedSocketClass | undefined;
}

export interface Client extends Rest {
  /** What is left of the hourly limit; undefined before the first answer that has it. */
  readonly quota: Quota | undefined;
  /** All streams of a feed share one socket, which opens with the first subscription. */
  feed(options?: SessionOptions): Feed;
}

/** A wrong address would look like a service that is down, for as long as the program runs. */
function expectAddress(url: unknown): void {
  if (typeof url === 'string' && /^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return;
  const found = typeof url === 'string' ? JSON.stringify(url) : typeof url;
  const detail = `expected an address such as http://127.0.0.1:8080 in url, found ${found}`;
  throw new TallywireError({ status: 0, code: 'url_invalid', detail });
}

export function clientWith(loadSocket: () => Promise<FeedSocketClass>, options: ClientOptions): Client {
  expectAddress(options.url);
  const http = createHttp(options);
  const rest = createRest(http);
  const { WebSocket: given, accounts, key } = options;
  const url = `${withoutTrailingSlash(options.url.replace(/^http/, 'ws'))}${API_PATH}/feed`;
  return {
    ...rest,
    get quota() {
      return http.quota;
    },
    feed: (feedOptions = {}) =>
      createFeed({
        ...feedOptions,
        url,
        key,
        accounts,
        loadAccounts: async () => (await rest.accounts()).data.map(({ account }) => account),
        loadSocket: given === undefined ? loadSocket : async () => given,
      }),
  };
}
