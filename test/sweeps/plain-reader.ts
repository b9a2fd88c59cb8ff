import { WebSocket } from 'ws';
import * as z from 'zod';
import { keyOf } from '../../src/client/node.ts';
import { checkFrame } from '../support/frame-check.ts';

const Frame = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  account: z.string().nullable().optional(),
  epoch: z.string().optional(),
  seq: z.int().optional(),
  key: z.string().optional(),
  data: z.unknown().optional(),
});

/** Everything a reader has of the feed: updates as they came, and the records they left. */
export interface Reading {
  /** Texts of the updates of each topic, in order, by name. */
  readonly texts: Map<string, string[]>;
  /** Place and records of each topic, by name. */
  readonly topics: Map<string, { epoch: string; seq: number; readonly records: Map<string, unknown> }>;
  frames: number;
}

export function emptyReading(): Reading {
  return { texts: new Map(), topics: new Map(), frames: 0 };
}

/** Takes in a data frame as plainly as can be: without any doubt about what comes. */
export function takeIn(reading: Reading, text: string): void {
  const { type, channel = '', account, epoch = '', seq = 0, key = '', data } = Frame.parse(JSON.parse(text));
  if (type !== 'update' && type !== 'snapshot') return;
  reading.frames += 1;
  const name = typeof account === 'string' ? `${channel}/${account}` : channel;
  const topic = reading.topics.get(name) ?? { epoch, seq, records: new Map<string, unknown>() };
  reading.topics.set(name, topic);
  topic.epoch = epoch;
  topic.seq = seq;
  if (type === 'snapshot') {
    topic.records.clear();
    for (const record of z.array(z.looseObject({})).parse(data)) topic.records.set(keyOf(record), record);
  } else if (data === null) topic.records.delete(key);
  else topic.records.set(key, data);
  if (type !== 'update') return;
  const texts = reading.texts.get(name) ?? [];
  reading.texts.set(name, texts);
  texts.push(text);
}

/** A reader straight at the engine that nobody cuts, without any of the client. Resolves once the socket is gone. */
export async function readPlainly(url: string, reading: Reading, signal: AbortSignal): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, {
    headers: { 'X-API-Key': 'demo_internal' },
  });
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', channels: channels(reading) })));
      socket.on('message', (data) => {
        checkFrame(String(data));
        takeIn(reading, String(data));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const OF_ACCOUNTS = ['counters', 'tweets', 'velocity', 'prediction', 'signals', 'lag'];

function channels({ topics }: Reading): readonly object[] {
  const named = OF_ACCOUNTS.flatMap((channel) =>
    ['account_a', 'account_b'].map((account) => ({ channel, account, name: `${channel}/${account}` })),
  );
  const all = [...named, { channel: 'crypto', name: 'crypto' }, { channel: 'test', name: 'test' }];
  return all.map(({ name, ...request }) => {
    const at = topics.get(name);
    return at === undefined ? request : { ...request, resume: { epoch: at.epoch, seq: at.seq } };
  });
}
