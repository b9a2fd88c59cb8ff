import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { checkFrame } from '../support/frame-check.ts';

/** Follows every channel that an AsyncAPI document describes, for every account that it lists. */

const requestSchema = z.object({
  properties: z.object({
    channel: z.object({ enum: z.array(z.string()) }),
    account: z.object({ enum: z.array(z.string()) }),
  }),
});
const documentSchema = z.object({
  components: z.object({
    schemas: z.object({
      subscribe: z.object({ properties: z.object({ channels: z.object({ items: requestSchema }) }) }),
    }),
  }),
});
const frameSchema = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  account: z.string().nullish(),
  code: z.string().optional(),
});

/** They are about no account. */
const SHARED: readonly string[] = ['crypto', 'test'];

export interface Followed {
  readonly channel: string;
  /** Undefined for what is not about one account. */
  readonly account: string | undefined;
}

/** All that was followed and began with a frame as documented: one connection for each account. */
export async function followEverything(url: string, key: string): Promise<readonly Followed[]> {
  const document = documentSchema.parse(await (await fetch(`${url}/api/v1/asyncapi.json`)).json());
  const { channel, account } = document.components.schemas.subscribe.properties.channels.items.properties;
  const own = channel.enum.filter((name) => !SHARED.includes(name));
  const followed: Followed[] = [];
  for (const segment of account.enum) {
    const channels = own.map((name) => ({ channel: name, account: segment }));
    followed.push(...(await followAll(url, key, channels)));
  }
  const shared = SHARED.map((name) => ({ channel: name, account: undefined }));
  return [...followed, ...(await followAll(url, key, shared))];
}

async function followAll(
  url: string,
  key: string,
  channels: readonly Followed[],
): Promise<readonly Followed[]> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1/feed`, {
    headers: { 'X-API-Key': key },
  });
  await once(socket, 'open');
  try {
    const waiting = new Map(channels.map((each) => [nameOf(each), each]));
    const begun = new Promise<void>((resolve, reject) => {
      socket.on('close', (code) => reject(new Error(`closed with ${code}, without ${[...waiting.keys()]}`)));
      socket.on('message', (bytes) => {
        try {
          const text = String(bytes);
          checkFrame(text);
          const { type, channel = '', account, code } = frameSchema.parse(JSON.parse(text));
          assert.notEqual(type, 'error', `${code} for ${JSON.stringify(channels)}`);
          if (type === 'snapshot' || type === 'heartbeat') {
            waiting.delete(nameOf({ channel, account: account ?? undefined }));
          }
          if (waiting.size === 0) resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    socket.send(JSON.stringify({ op: 'subscribe', channels }));
    await begun;
    return channels;
  } finally {
    socket.removeAllListeners('close');
    socket.terminate();
  }
}

function nameOf({ channel, account }: Followed): string {
  return account === undefined ? channel : `${channel}/${account}`;
}
