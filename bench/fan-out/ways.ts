import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { proxiesOf } from '../../src/access/client-address.ts';
import { createGate } from '../../src/access/gate.ts';
import { demoKeys } from '../../src/access/keys/key-lookup.ts';
import { openFeed } from '../../src/feed/feed.ts';
import { CONNECTION_TIMES } from '../../src/feed/transport/websockets.ts';
import { internalError, refusal } from '../../src/server/error-answer.ts';
import { API_HEADERS } from '../../src/server/headers.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { HOUR_MS } from '../../streams/internal.ts';
import { accountPath } from '../../test/support/accounts.ts';
import { createMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { lagOutput } from '../../test/support/outputs.ts';

/**
 * Part of the account's name, and so three times in every message: readers count it to know that they have all. It must
 * not occur in the head of a WebSocket frame, where 126 and 127 announce a long frame.
 */
export const MARK = '^';
export const MARKS = 3;
const ACCOUNT = `account_a${MARK}`;

/** How a reader connects, and the message it sends after the first answer. */
export interface Handshake {
  readonly path: string;
  readonly isUpgrade: boolean;
  readonly after: string;
}

/** One way to bring an update to every reader. */
export interface Way {
  readonly port: number;
  readonly handshake: Handshake;
  send(): void;
}

export const WAYS = {
  'tallywire feed': startStoredFeed,
  'tallywire feed, kept in memory only': () => startFeed(createMemoryStore()),
  'ws, send(JSON.stringify(...)) to each': startPlain,
  'bare net, write(bytes) to each': startBare,
  'socket.io, emit': startSocketIo,
  'event stream, write(JSON.stringify(...)) to each': startSse,
} as const satisfies Record<string, () => Promise<Way>>;

export type WayName = keyof typeof WAYS;

/** The message of the other ways: a frame of the feed, 480 bytes. */
function sampleMessage(): unknown {
  const none = { n: 0, p50_ms: null, p90_ms: null, p99_ms: null };
  const ages = { posts: null, oracle: null, ui: null, prices: null };
  const seen = { n: 1, p50_ms: 11_500, p90_ms: 13_000, p99_ms: 28_200 };
  const asOf = { seq: 1, ts: Date.now(), ages_ms: ages };
  const data = { account: ACCOUNT, seen, oracle: none, ui: none, as_of: asOf };
  const epoch = '00000000-0000-4000-8000-000000000000';
  const place = { epoch, seq: 100, prev_seq: 99, ts: Date.now(), cause: ['clock'], key: ACCOUNT };
  return { type: 'update', channel: 'lag', account: ACCOUNT, ...place, data };
}

async function listening(server: TcpServer): Promise<number> {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('not listening on a port');
  return address.port;
}

/** Everything that the service does for its readers, from the change of a value on, with the write to disk. */
async function startStoredFeed(): Promise<Way> {
  return startFeed(await openStore(await mkdtemp(join(tmpdir(), 'tallywire-bench-'))));
}

async function startFeed(store: Pick<Store, 'feed' | 'outputs'>): Promise<Way> {
  const latest = createLatest();
  const feed = openFeed({
    latest,
    window: store.feed,
    outputs: store.outputs,
    accounts: [{ ...accountPath('a'), segment: ACCOUNT }],
    gate: createGate({ keys: demoKeys(), now: Date.now }),
    proxies: proxiesOf([]),
    limits: {
      connections: 1e6,
      perAddress: 1e6,
      perKey: 1e6,
      connectsPerMinute: 1e6,
      replayBytesPerMinute: Number.MAX_SAFE_INTEGER,
    },
    staleAfterMs: { posts: 1, oracle: 1, ui: 1, prices: 1 },
    now: Date.now,
    mono: () => performance.now(),
    // The readers here answer no pings.
    times: { ...CONNECTION_TIMES, pingMs: HOUR_MS },
    headers: API_HEADERS,
    answerTo: (error) => refusal(error) ?? internalError(),
    report: (error) => process.emitWarning(String(error)),
  });
  const server = createServer().on('upgrade', (req, socket, head) => feed.upgrade(req, socket, head));
  let seq = 0;
  return {
    port: await listening(server),
    handshake: {
      path: '/api/v1/feed',
      isUpgrade: true,
      after: JSON.stringify({ op: 'subscribe', channels: [{ channel: 'lag' }] }),
    },
    send() {
      seq += 1;
      const seen = { n: seq, p50: 11_500, p90: 13_000, p99: 28_200 };
      latest.apply([lagOutput({ seen }, { seq, at: Date.now() })], seq, Date.now());
    },
  };
}

async function startPlain(): Promise<Way> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const update = sampleMessage();
  return {
    port: await listening(server),
    handshake: { path: '/', isUpgrade: true, after: '' },
    send() {
      for (const client of sockets.clients) client.send(JSON.stringify(update));
    },
  };
}

/** The least that can be done in Node: prepared bytes, written to bare sockets. */
async function startBare(): Promise<Way> {
  const sockets = new Set<Socket>();
  // As with the sockets of a web server, small writes are not delayed.
  const server = createTcpServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('data', () => socket.write(':'));
  });
  const bytes = Buffer.from(JSON.stringify(sampleMessage()));
  return {
    port: await listening(server),
    handshake: { path: '/', isUpgrade: false, after: '' },
    send() {
      for (const socket of sockets) socket.write(bytes);
    },
  };
}

async function startSocketIo(): Promise<Way> {
  const server = createServer();
  const io = new SocketIo(server, { pingInterval: HOUR_MS, transports: ['websocket'] });
  const update = sampleMessage();
  return {
    port: await listening(server),
    handshake: { path: '/socket.io/?EIO=4&transport=websocket', isUpgrade: true, after: '40' },
    send: () => void io.emit('update', update),
  };
}

async function startSse(): Promise<Way> {
  const clients = new Set<ServerResponse>();
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    clients.add(res);
  });
  const update = sampleMessage();
  return {
    port: await listening(server),
    handshake: { path: '/', isUpgrade: false, after: '' },
    send() {
      for (const client of clients) client.write(`data: ${JSON.stringify(update)}\n\n`);
    },
  };
}
