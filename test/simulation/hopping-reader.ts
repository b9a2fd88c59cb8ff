import { WebSocket } from 'ws';
import * as z from 'zod';
import type { Chance } from './chance.ts';

const frame = z.looseObject({
  type: z.string(),
  channel: z.string().nullish(),
  account: z.string().nullish(),
  epoch: z.string().nullish(),
  seq: z.int().nullish(),
  prev_seq: z.int().nullish(),
  merged: z.int().nullish(),
});

/** What depends on how fast a reader takes its frames. The rest is the same for every one. */
const OF_READER = /"(?:prev_seq|merged)":\d+,/g;
const SUBSCRIPTIONS = [
  ...['counters', 'tweets', 'velocity', 'prediction', 'signals', 'lag'].flatMap((channel) =>
    ['account_a', 'account_b'].map((account) => ({ channel, account })),
  ),
  { channel: 'crypto' },
  { channel: 'test' },
];

interface HoppingOptions {
  /** Where there may be a process that serves. */
  readonly urls: readonly [string, ...string[]];
  readonly random: Chance;
  /** How long it stays at most, ms. */
  readonly longestStayMs: number;
  /** Each frame of a topic that it takes: its content is the same for every reader. */
  readonly onFrame: (place: string, content: string) => void;
  /** A frame that does not follow the one before. */
  readonly onGap: (message: string) => void;
  /** A snapshot came though it asked for what follows its cursor. */
  readonly onReset: (topic: string, url: string, isOfNewEpoch: boolean) => void;
  readonly onHop: (frames: number, url: string, why: string) => void;
}

/** Reads every channel at one process for a while, then at another one from where it was, and so on. */
export function startHopping(options: HoppingOptions): void {
  const { urls, random, longestStayMs, onFrame, onGap, onReset, onHop } = options;
  const cursors = new Map<string, { readonly epoch: string; readonly seq: number }>();

  function take(text: string, url: string): boolean {
    const { type, channel, account, epoch, seq, prev_seq: previous, merged } = frame.parse(JSON.parse(text));
    if (type !== 'snapshot' && type !== 'update') return false;
    if (typeof channel !== 'string' || typeof epoch !== 'string' || typeof seq !== 'number') return false;
    const topic = typeof account === 'string' ? `${channel}/${account}` : channel;
    const cursor = cursors.get(topic);
    if (type === 'snapshot') {
      if (cursor !== undefined) onReset(topic, url, cursor.epoch !== epoch);
    } else {
      const isNext = cursor?.epoch === epoch && previous === cursor.seq;
      const isWhole = typeof merged === 'number' || seq === (cursor?.seq ?? 0) + 1;
      if (!isNext || !isWhole)
        onGap(`${topic} ${seq} follows ${previous} at ${url}, and ${JSON.stringify(cursor)} was taken`);
      onFrame(`${epoch} ${topic} ${seq}`, text.replaceAll(OF_READER, ''));
    }
    cursors.set(topic, { epoch, seq });
    return true;
  }

  function subscription(): string {
    const channels = SUBSCRIPTIONS.map((each) => {
      const topic = 'account' in each ? `${each.channel}/${each.account}` : each.channel;
      const resume = cursors.get(topic);
      return { ...each, ...(resume && { resume }) };
    });
    return JSON.stringify({ op: 'subscribe', channels });
  }

  function hop(): void {
    const url = urls[Math.floor(random() * urls.length)] ?? urls[0];
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, {
      headers: { 'X-API-Key': 'demo_internal' },
      perMessageDeflate: false,
    });
    let frames = 0;
    let isOver = false;
    const leave = (why: string, pauseMs: number) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(stay);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.terminate();
      onHop(frames, url, why);
      setTimeout(hop, pauseMs);
    };
    const stay = setTimeout(() => leave('it hops', random() * 1_000), random() * longestStayMs);
    socket.on('error', () => leave('it was refused', 200 + random() * 1_000));
    socket.on('close', (code) => leave(`it was closed with ${code}`, 200 + random() * 1_000));
    socket.on('open', () => socket.send(subscription()));
    socket.on('message', (data) => {
      if (!isOver && take(String(data), url)) frames += 1;
    });
  }

  hop();
}
