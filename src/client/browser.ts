import { type Client, type ClientOptions, clientWith } from './client.ts';
import type { FeedSocketClass } from './feed/socket.ts';

/** Entry point for browsers, and any other platform with a global WebSocket. */

export * from './exports.ts';

declare const WebSocket: FeedSocketClass;

export function createClient(options: ClientOptions): Client {
  return clientWith(async () => WebSocket, options);
}
