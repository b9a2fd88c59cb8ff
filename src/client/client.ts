import { createFeed, type Feed } from './feed/feed.ts';
import type { ConversationOptions } from './feed/session.ts';
import type { FeedSocketClass } from './feed/socket.ts';
import { createHttp, type HttpOptions } from './http.ts';
import type { Quota } from './quota.ts';
import { createRest, type Rest } from './rest.ts';

export interface ClientOptions extends HttpOptions {
  /** Path segments of the accounts the service follows; `account_a` and `account_b` unless told otherwise. */
  readonly accounts?: readonly string[] | undefined;
  /** The socket to use instead of the platform's. */
  readonly WebSocket?: FeedSocketClass | undefined;
}

export interface Client extends Rest {
  /** What is left of the hour, once an answer told. */
  readonly quota: Quota | undefined;
  /** Its streams share one socket, which is opened when the first of them is followed. */
  feed(options?: ConversationOptions): Feed;
}

const ACCOUNTS = ['account_a', 'account_b'];

/** `load` gives the socket of the platform. */
export function clientWith(load: () => Promise<FeedSocketClass>, options: ClientOptions): Client {
  const http = createHttp(options);
  const { WebSocket: given, accounts = ACCOUNTS, key } = options;
  const url = `${options.url.replace(/^http/, 'ws').replace(/\/+$/, '')}/api/v1/feed`;
  return {
    ...createRest(http),
    get quota() {
      return http.quota;
    },
    feed: (feedOptions = {}) =>
      createFeed({
        ...feedOptions,
        url,
        key,
        accounts,
        load: given === undefined ? load : async () => given,
      }),
  };
}
