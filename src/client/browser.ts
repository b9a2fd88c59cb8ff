import { type Client, type ClientOptions, clientWith } from './client.ts';
import type { FeedSocketClass } from './feed/socket.ts';

/** The door for browsers, and whatever else has a WebSocket of its own. */

export * from './exports.ts';

declare const WebSocket: FeedSocketClass;

export function createClient(options: ClientOptions): Client {
  return clientWith(async () => WebSocket, options);
}
