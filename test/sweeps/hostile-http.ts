import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, attackerAddress, type Field } from './attack.ts';

/** What one connection sends without reading: as much as the system takes of it at once. */
const PIPELINED_BYTES = 45_000;
/** Longer than the time in which a connection has to take a byte. */
const NEVER_READ_MS = 40_000;
const SLOW_READ_MS = 20_000;
const SLOW_READ_EVERY_MS = 200;
const SLOW_READ_BYTES = 1_024;
const HAMMER_MS = 15_000;

const get = (path: string, lines = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`;
const pipelined = (path: string) => get(path).repeat(Math.floor(PIPELINED_BYTES / get(path).length));

const DOCUMENT = '/api/v1/openapi.json';
/** Paths that no hourly limit counts. */
const UNCOUNTED = [
  DOCUMENT,
  '/api/v1/asyncapi.json',
  '/llms.txt',
  '/docs',
  '/docs/page.js',
  '/dashboard/page.js',
  '/metrics',
  '/nowhere',
  '/api/v1/performance/history?days=3650',
];

export const HTTP_ATTACKS: readonly Attack[] = [
  neverReading('GETs of a document in a row, never read', () => pipelined(DOCUMENT)),
  neverReading('GETs of the history in a row, never read', (n) =>
    pipelined(`/api/v1/performance/history?days=${30 + n}`),
  ),
  neverReading('GETs of page files in a row, never read', () => pipelined('/dashboard/page.js')),
  neverReading('requests of the least length in a row, never read', () => pipelined('/')),
  {
    name: 'large bodies read byte by byte',
    async run(field) {
      const timers: NodeJS.Timeout[] = [];
      const sockets = openAll(field, (n) => get(UNCOUNTED[n % UNCOUNTED.length] ?? DOCUMENT).repeat(30));
      for (const socket of sockets) {
        timers.push(setInterval(() => socket.read(SLOW_READ_BYTES), SLOW_READ_EVERY_MS));
      }
      await endAfter(sockets, Math.min(SLOW_READ_MS, field.mostMs));
      for (const timer of timers) clearInterval(timer);
      return `${sockets.length} connections`;
    },
  },
  {
    name: 'GETs of what no hour counts, as fast as they are answered',
    async run({ port, connections, mostMs }) {
      const statuses = new Map<string, number>();
      const durationMs = Math.min(HAMMER_MS, mostMs);
      const untilMs = performance.now() + durationMs;
      const sockets = Array.from({ length: connections }, (_, n) =>
        hammer(port, n, UNCOUNTED[n % UNCOUNTED.length] ?? DOCUMENT, untilMs, statuses),
      );
      await delay(durationMs);
      for (const socket of sockets) socket.destroy();
      const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
      return `answers by status ${counts.join(', ')}`;
    },
  },
  {
    name: 'requests for an upgrade behind others',
    async run(field) {
      const upgrade = get('/livez', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
      const sockets = openAll(field, (n) => get('/docs').repeat(1 + (n % 3)) + upgrade);
      for (const socket of sockets) socket.resume();
      await endAfter(sockets, Math.min(SLOW_READ_MS, field.mostMs));
      return `${sockets.length} connections`;
    },
  },
];

function neverReading(name: string, bytesOf: (n: number) => string): Attack {
  return {
    name,
    async run(field) {
      const sockets = openAll(field, bytesOf);
      await endAfter(sockets, Math.min(NEVER_READ_MS, field.mostMs));
      return `${sockets.length} connections`;
    },
  };
}

/** Connections that send their bytes and read nothing. */
function openAll({ port, connections }: Field, bytesOf: (n: number) => string): readonly Socket[] {
  return Array.from({ length: connections }, (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: attackerAddress(n) });
    socket.pause();
    socket.on('error', () => undefined);
    socket.write(bytesOf(n));
    return socket;
  });
}

async function endAfter(sockets: readonly Socket[], ms: number): Promise<void> {
  await delay(ms);
  for (const socket of sockets) socket.destroy();
}

/** Asks again as soon as the whole answer is there, over a new connection when the old one ends. */
function hammer(
  port: number,
  n: number,
  path: string,
  untilMs: number,
  statuses: Map<string, number>,
): Socket {
  let head = '';
  let left = 0;
  const socket = connect({ port, host: '127.0.0.1', localAddress: attackerAddress(n) }, () => {
    socket.write(get(path));
  });
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    if (left > 0) left -= chunk.length;
    else {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const status = head.slice(9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      left = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      head = '';
    }
    if (left <= 0 && performance.now() < untilMs) socket.write(get(path));
  });
  return socket;
}
