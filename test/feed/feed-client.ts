import { once } from 'node:events';
import { WebSocket } from 'ws';
import type * as z from 'zod';
import { serverFrame } from '../../src/contract/feed/server-frames.ts';
import { eventually } from '../support/eventually.ts';

export type ServerFrame = z.output<typeof serverFrame>;
export type Update = Extract<ServerFrame, { readonly type: 'update' }>;
export type Snapshot = Extract<ServerFrame, { readonly type: 'snapshot' }>;

/** A reader written from the protocol alone. Whatever it is sent has to fit the schemas. */
export interface FeedClient {
  readonly ws: WebSocket;
  /** As they came. */
  readonly texts: readonly string[];
  readonly frames: readonly ServerFrame[];
  send(message: object | string): void;
  /** Resolves to the first frame of this type behind the first `skip`. */
  next<T extends ServerFrame['type']>(
    type: T,
    skip?: number,
  ): Promise<Extract<ServerFrame, { readonly type: T }>>;
  updates(channel?: string): readonly Update[];
  /** Resolves to the code it was closed with. */
  closed(): Promise<number>;
  close(): Promise<void>;
}

export async function connect(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FeedClient> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, { headers, perMessageDeflate: false });
  const texts: string[] = [];
  const frames: ServerFrame[] = [];
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  ws.on('message', (data) => {
    texts.push(String(data));
    frames.push(serverFrame.parse(JSON.parse(String(data))));
  });
  await once(ws, 'open');
  const isOf =
    <T extends ServerFrame['type']>(type: T) =>
    (frame: ServerFrame): frame is Extract<ServerFrame, { readonly type: T }> =>
      frame.type === type;
  return {
    ws,
    texts,
    frames,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(type, skip = 0) {
      await eventually(`frame ${type}`, () => frames.filter(isOf(type)).length > skip);
      const found = frames.filter(isOf(type))[skip];
      if (found === undefined) throw new Error(`no ${type}`);
      return found;
    },
    updates: (channel) =>
      frames.filter(isOf('update')).filter((frame) => channel === undefined || frame.channel === channel),
    closed: () => closed,
    async close() {
      ws.close();
      await closed;
    },
  };
}
