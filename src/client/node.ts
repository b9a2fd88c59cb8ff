import { type Client, type ClientOptions, clientWith } from './client.ts';
import type { FeedSocketClass } from './feed/socket.ts';

/** The door for Node. */

export * from './exports.ts';

export function createClient(options: ClientOptions): Client {
  return clientWith(loadSocket, options);
}

/** Node has a WebSocket of its own from 22 on. */
async function loadSocket(): Promise<FeedSocketClass> {
  const own: unknown = Reflect.get(globalThis, 'WebSocket');
  if (typeof own === 'function') return own as FeedSocketClass;
  return (await import('ws')).WebSocket;
}
