import { type Client, type ClientOptions, clientWith } from './client.ts';
import type { FeedSocketClass } from './feed/socket.ts';

/** Entry point for Node. */

export * from './exports.ts';

export function createClient(options: ClientOptions): Client {
  return clientWith(loadSocket, options);
}

/** Node has a global WebSocket from version 22 on. */
async function loadSocket(): Promise<FeedSocketClass> {
  const global: unknown = Reflect.get(globalThis, 'WebSocket');
  if (typeof global === 'function') return global as FeedSocketClass;
  return (await import('ws')).WebSocket;
}
