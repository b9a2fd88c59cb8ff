import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { proxiesOf } from '../src/access/addresses.ts';
import { createGate } from '../src/access/gate.ts';
import { demoKeys } from '../src/access/key-ring.ts';
import { openFeed } from '../src/feed/feed.ts';
import { createLatest } from '../src/store/latest.ts';
import { createMemoryStore } from '../src/store/memory.ts';
import { percentile } from '../streams/index.ts';
import { lagOutput } from '../test/support/outputs.ts';
import { print } from './print.ts';

const ROUNDS = 12;
/** What a process may usually have, less some. */
const MAX_OPEN_FILES = 18_000;
/** Updates per round and way. */
const UPDATES = 4;
/**
 * In the account's name, and so three times in every message: readers count it to know that they have all. No byte
 * of a frame's head may be the same, or they would think so too early: 126 and 127 tell of a long one.
 */
const MARK = '^';
const MARKS = 3;

/** One way to bring an update to everyone who listens. */
interface Way {
  readonly name: string;
  readonly port: number;
  readonly hello: Hello;
  send(): void;
  close(): void;
}

/** What a reader says to be let in, and after the first answer. */
interface Hello {
  readonly path: string;
  readonly isUpgrade: boolean;
  readonly after: string;
}

/**
 * CPU time of the serving process per message of 480 bytes, from the change of a value until it is on its way to
 * every reader; readers are in another process. All ways in turns. A regression means that readers cost each other more.
 */
export async function benchFeed(): Promise<void> {
  for (const sockets of (process.env.SOCKETS ?? '1000,5000').split(',').map(Number)) {
    const isMany = sockets * 4 > MAX_OPEN_FILES;
    await compare(sockets, isMany ? [startSocketIo] : [startSocketIo, startSse]);
    if (isMany) await compare(sockets, [startSse]);
  }
}

type StartWay = (message: unknown) => Promise<Way>;

async function compare(sockets: number, rivals: readonly StartWay[]): Promise<void> {
  const ours = await startFeed();
  const message: unknown = JSON.parse(ours.text());
  const ways: Way[] = [ours, await startPlain(message)];
  for (const startRival of rivals) ways.push(await startRival(message));
  const readers = fork(fileURLToPath(import.meta.url), ['read']);
  await once(readers, 'message');
  for (const way of ways) {
    readers.send({ port: way.port, hello: way.hello, sockets });
    await once(readers, 'message');
  }
  const costsUs = ways.map((): number[] => []);
  const tookMs = ways.map((): number[] => []);
  const holds = monitorEventLoopDelay({ resolution: 5 });
  let worstMs = 0;
  for (let round = -3; round < ROUNDS; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const place = (turn + round + 3) % ways.length;
      const way = ways[place];
      if (way === undefined) continue;
      if (way === ours) {
        holds.reset();
        holds.enable();
      }
      for (let update = 0; update < UPDATES; update++) {
        const startedAt = performance.now();
        const cpu = process.cpuUsage();
        way.send();
        await heard(readers, way.port, sockets);
        const { user, system } = process.cpuUsage(cpu);
        if (round < 0) continue;
        costsUs[place]?.push((user + system) / sockets);
        tookMs[place]?.push(performance.now() - startedAt);
      }
      if (way !== ours) continue;
      holds.disable();
      if (round >= 0) worstMs = Math.max(worstMs, holds.max / 1e6);
    }
  }
  readers.kill();
  for (const way of ways) way.close();

  const base = costsUs[1] ?? [];
  for (const [place, way] of ways.entries()) {
    const costs = costsUs[place] ?? [];
    const ratios = costs.map((cost, index) => (base[index] ?? Number.NaN) / cost);
    const times = `all have it after ${at(tookMs[place] ?? [], 50).toFixed(0)} ms, p99 ${at(tookMs[place] ?? [], 99).toFixed(0)} ms`;
    const range = `half of them ${at(ratios, 25).toFixed(2)} to ${at(ratios, 75).toFixed(2)}`;
    print(
      `${way.name}, ${sockets} sockets`,
      `${at(ratios, 50).toFixed(2)} x`,
      `${at(costs, 50).toFixed(2)} us; ${range}; ${times}`,
    );
  }
  print('  loop held at most while it is told', `${worstMs.toFixed(0)} ms`, 'goal 50 ms');
}

async function heard(readers: ChildProcess, port: number, messages: number): Promise<void> {
  readers.send({ port, expect: messages * MARKS });
  await once(readers, 'message');
}

function at(values: readonly number[], rank: number): number {
  return (
    percentile(
      [...values].sort((a, b) => a - b),
      rank,
    ) ?? Number.NaN
  );
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('not listening on a port');
  return address.port;
}

async function startFeed(): Promise<Way & { text(): string }> {
  const latest = createLatest();
  const store = createMemoryStore();
  const segment = `account_a${MARK}`;
  const feed = openFeed({
    latest,
    // Not to grow with every update: it is the way to the readers that is measured.
    window: { ...store.feed, append: async () => undefined },
    outputs: store.outputs,
    accounts: [{ id: 'a', segment }],
    gate: createGate({ keys: demoKeys(), now: Date.now }),
    proxies: proxiesOf([]),
    limits: { connections: 1e6, perAddress: 1e6, perKey: 1e6, connectsPerMinute: 1e6 },
    staleAfterMs: { posts: 1, oracle: 1, ui: 1, prices: 1 },
    now: Date.now,
    mono: () => performance.now(),
    report: (error) => process.emitWarning(String(error)),
  });
  const server = createServer().on('upgrade', (req, socket, head) => feed.upgrade(req, socket, head));
  const port = await listening(server);
  let seq = 0;
  const change = () => {
    seq += 1;
    const seen = { n: seq, p50: 11_500, p90: 13_000, p99: 28_200 };
    latest.apply([lagOutput({ seen }, { seq, at: Date.now() })], seq, Date.now());
  };
  const subscribe = JSON.stringify({ op: 'subscribe', channels: [{ channel: 'lag' }] });
  const record = { account: segment, seen: { n: 1, p50_ms: 11_500, p90_ms: 13_000, p99_ms: 28_200 } };
  const none = { n: 0, p50_ms: null, p90_ms: null, p99_ms: null };
  const ages = { posts: null, oracle: null, ui: null, prices: null };
  const data = { ...record, oracle: none, ui: none, as_of: { seq: 1, ts: Date.now(), ages_ms: ages } };
  const place = { epoch: feed.epoch, seq: 100, prev_seq: 99, ts: Date.now(), cause: ['clock'], key: segment };
  return {
    name: 'ours',
    port,
    hello: { path: '/api/v1/feed', isUpgrade: true, after: subscribe },
    send: change,
    text: () => JSON.stringify({ type: 'update', channel: 'lag', account: segment, ...place, data }),
    close: () => server.close(),
  };
}

async function startPlain(message: unknown): Promise<Way> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    name: 'ws, send(JSON.stringify(...)) to each',
    port: await listening(server),
    hello: { path: '/', isUpgrade: true, after: '' },
    send() {
      for (const client of sockets.clients) client.send(JSON.stringify(message));
    },
    close: () => server.close(),
  };
}

async function startSocketIo(message: unknown): Promise<Way> {
  const server = createServer();
  const io = new SocketIo(server, { pingInterval: 3_600_000, transports: ['websocket'] });
  return {
    name: 'socket.io, emit',
    port: await listening(server),
    hello: { path: '/socket.io/?EIO=4&transport=websocket', isUpgrade: true, after: '40' },
    send: () => void io.emit('update', message),
    close: () => server.close(),
  };
}

async function startSse(message: unknown): Promise<Way> {
  const clients = new Set<ServerResponse>();
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    clients.add(res);
  });
  return {
    name: 'event stream, write(JSON.stringify(...)) to each',
    port: await listening(server),
    hello: { path: '/', isUpgrade: false, after: '' },
    send() {
      for (const client of clients) client.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    close: () => server.close(),
  };
}

/** A masked text frame. The mask is zero, which leaves the text as it is. */
function frameOf(text: string): Buffer {
  const head =
    text.length < 126 ? [0x81, 0x80 | text.length] : [0x81, 0xfe, text.length >> 8, text.length & 255];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(text)]);
}

async function open(
  port: number,
  { path, isUpgrade, after }: Hello,
  hear: (bytes: Buffer) => void,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${isUpgrade ? upgrade : ''}\r\n`);
  await once(socket, 'data');
  if (after !== '') {
    socket.write(frameOf(after));
    await once(socket, 'data');
  }
  socket.on('data', hear);
  return socket;
}

/** In a process of its own: as many readers as are wanted of each port, who count marks. */
function read(): void {
  const counts = new Map<number, number>();
  const waiting = new Map<number, number>();
  const mark = MARK.charCodeAt(0);
  const look = (port: number) => {
    const expected = waiting.get(port);
    const count = counts.get(port) ?? 0;
    if (expected === undefined || count < expected) return;
    waiting.delete(port);
    counts.set(port, 0);
    if (count > expected) throw new Error(`heard ${count} marks, expected ${expected}`);
    process.send?.('heard');
  };
  process.on('message', async (order: { port: number; hello?: Hello; sockets?: number; expect?: number }) => {
    const { port, hello, sockets = 0, expect } = order;
    if (hello) {
      const hear = (bytes: Buffer) => {
        let found = 0;
        for (let from = bytes.indexOf(mark); from >= 0; from = bytes.indexOf(mark, from + 1)) found += 1;
        counts.set(port, (counts.get(port) ?? 0) + found);
        look(port);
      };
      for (let made = 0; made < sockets; made += 100) {
        await Promise.all(
          Array.from({ length: Math.min(100, sockets - made) }, () => open(port, hello, hear)),
        );
      }
      // What belongs to the beginning may still be under way.
      await new Promise((resolve) => setTimeout(resolve, 500));
      counts.set(port, 0);
      process.send?.('open');
    }
    if (expect !== undefined) {
      waiting.set(port, expect);
      look(port);
    }
  });
  process.send?.('ready');
}

if (process.argv[2] === 'read') read();
else if (process.argv[1] === fileURLToPath(import.meta.url)) await benchFeed();
