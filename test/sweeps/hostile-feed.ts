import { connect, type Socket } from 'node:net';
import * as z from 'zod';
import { openRawWebSocket, textFrame, upgradeRequest } from '../support/raw-websocket.ts';

const FEED = '/api/v1/feed';

interface Attackers {
  readonly port: number;
  readonly connections: number;
  /** How long those that are not closed go on, ms. */
  readonly durationMs: number;
  /** The address of this machine that the nth connects from. */
  readonly addressOf?: (n: number) => string;
}

/** What became of all connections together. */
export interface Seen {
  readonly connections: number;
  /** Those that became WebSockets, where that is looked at. */
  readonly opened?: number;
  /** By the server. */
  readonly closed: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** What a connection does from its start until it is closed; returns how to stop it. */
type Behaviour = (socket: Socket, n: number) => () => void;

const LOOPBACK = () => '127.0.0.1';
const PING = 0x89;
const PONG = 0x8a;
const MOST_OF_A_CONTROL_FRAME = 125;
/** Control frames in one write. */
const FLOOD = 500;
/** As often as the server allows. */
const MESSAGE_MS = 200;

const FREE_CHANNELS = ['counters', 'tweets', 'prediction', 'crypto', 'lag', 'heartbeat', 'test'];
const SUBSCRIBE = { op: 'subscribe', channels: FREE_CHANNELS.map((channel) => ({ channel })) };

/** Never reads, and sends pings or pongs as fast as the server takes them. */
export function pingFlood(attackers: Attackers): Promise<Seen> {
  return attack(attackers, (socket, n) => {
    const frame = Buffer.alloc(6 + MOST_OF_A_CONTROL_FRAME, 'x');
    frame.set([n % 4 === 3 ? PONG : PING, 0x80 | MOST_OF_A_CONTROL_FRAME, 0, 0, 0, 0]);
    const flood = Buffer.concat(new Array<Buffer>(FLOOD).fill(frame));
    const pour = () => {
      while (socket.writable && socket.write(flood));
    };
    socket.on('drain', pour);
    socket.write(upgradeRequest(FEED));
    pour();
    return () => socket.off('drain', pour);
  });
}

/** Never reads, and subscribes to everything again and again, as often as is allowed. */
export function neverReadSubscribes(attackers: Attackers): Promise<Seen> {
  return attack(attackers, (socket) => {
    const message = textFrame(JSON.stringify(SUBSCRIBE));
    socket.write(upgradeRequest(FEED));
    const timer = setInterval(() => socket.writable && socket.write(message), MESSAGE_MS);
    return () => clearInterval(timer);
  });
}

/** Asks for event streams of everything and never reads. Whoever does not read learns of the end only by writing. */
export function neverReadEventStreams(attackers: Attackers): Promise<Seen> {
  return attack(attackers, (socket) => {
    const channels = FREE_CHANNELS.join();
    socket.write(`GET ${FEED}?channels=${channels} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
    const timer = setInterval(() => socket.writable && socket.write(' '), 5 * MESSAGE_MS);
    return () => clearInterval(timer);
  });
}

/** Connections that read nothing. */
async function attack(attackers: Attackers, behave: Behaviour): Promise<Seen> {
  const { port, connections, durationMs, addressOf = LOOPBACK } = attackers;
  let closed = 0;
  let sentBytes = 0;
  let receivedBytes = 0;
  const ended = Array.from({ length: connections }, (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(n) });
    const stop = behave(socket, n);
    return new Promise<void>((resolve) => {
      const deadline = setTimeout(() => {
        closed -= 1;
        socket.destroy();
      }, durationMs);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(deadline);
        stop();
        closed += 1;
        sentBytes += socket.bytesWritten;
        receivedBytes += socket.bytesRead;
        resolve();
      });
    });
  });
  await Promise.all(ended);
  return { connections, closed, sentBytes, receivedBytes };
}

const Told = z.union([
  z.object({ type: z.literal('subscribed'), epoch: z.string() }),
  z.object({
    type: z.literal('error'),
    code: z.literal('cursor_too_old'),
    channel: z.string(),
    account: z.string().nullable(),
    oldest_seq: z.int(),
  }),
]);

/** Reads all that it is sent, and asks for everything of the last day again and again. */
export async function replayStorm(attackers: Attackers): Promise<Seen> {
  const { port, connections, durationMs, addressOf = LOOPBACK } = attackers;
  let opened = 0;
  let closed = 0;
  let sentBytes = 0;
  let receivedBytes = 0;
  const topics = [{ channel: 'crypto' }, { channel: 'test' }].concat(
    ['counters', 'tweets', 'prediction', 'lag'].flatMap((channel) =>
      ['account_a', 'account_b'].map((account) => ({ channel, account })),
    ),
  );
  const ended = Array.from(
    { length: connections },
    (_, n) =>
      new Promise<void>((resolve) => {
        let epoch = '';
        const oldest = new Map<string, number>();
        const nameOf = ({ channel, account }: { channel: string; account?: string | null }) =>
          `${channel}/${account ?? ''}`;
        const ask = () => {
          const channels = topics.map((topic) => ({
            ...topic,
            resume: { epoch, seq: oldest.get(nameOf(topic)) ?? 0 },
          }));
          raw.send(JSON.stringify({ op: 'subscribe', channels }));
        };
        let again: NodeJS.Timeout | undefined;
        const raw = openRawWebSocket(
          port,
          FEED,
          [],
          {
            onOpen() {
              opened += 1;
              ask();
              again = setInterval(ask, 5 * MESSAGE_MS);
            },
            onText(text) {
              if (!/^\{"type":"(subscribed|error)"/.test(text)) return;
              const told = Told.safeParse(JSON.parse(text)).data;
              if (told?.type === 'subscribed') epoch = told.epoch;
              else if (told !== undefined) oldest.set(nameOf(told), told.oldest_seq);
            },
            onClose() {
              clearInterval(again);
              clearTimeout(deadline);
              closed += 1;
              sentBytes += raw.socket.bytesWritten;
              receivedBytes += raw.socket.bytesRead;
              resolve();
            },
          },
          addressOf(n),
        );
        const deadline = setTimeout(() => {
          closed -= 1;
          raw.socket.destroy();
        }, durationMs);
      }),
  );
  await Promise.all(ended);
  return { connections, opened, closed, sentBytes, receivedBytes };
}
