import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exchangeRaw, statusesIn } from './raw-http.ts';

interface LorisResult {
  readonly sockets: number;
  /** Of the good clients, meanwhile. */
  readonly goodCalls: number;
  readonly p99Ms: number;
  /** When the last of the slow ones was let go. */
  readonly lastClosedMs: number;
}

const HEAD = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\n';
const DRIP_MS = 500;
export const GOOD_CLIENTS = 8;
const GOOD_PAUSE_MS = 20;

/** Ways to hold a connection while saying next to nothing. */
const SLOW: readonly { readonly bytes: string; readonly next?: string }[] = [
  { bytes: '' },
  { bytes: HEAD },
  { bytes: HEAD, next: 'X-More: y\r\n' },
  {
    bytes:
      'POST /api/v1/waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{',
  },
  {
    bytes:
      'POST /api/v1/waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{',
    next: ' ',
  },
  {
    bytes:
      'POST /api/v1/waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    next: '1\r\n \r\n',
  },
];

/** Holds so many slow connections at once while good clients go on asking. Every slow one has to be let go. */
export async function sweepSlowLoris(
  { port }: { readonly port: number },
  sockets: number,
): Promise<LorisResult> {
  const startedMs = performance.now();
  const slow = Array.from({ length: sockets }, (_, index) => {
    const { bytes, next } = SLOW[index % SLOW.length] ?? { bytes: '' };
    return exchangeRaw({
      port,
      bytes,
      drip(socket) {
        const timer = setInterval(() => {
          if (next !== undefined && socket.writable) socket.write(next);
        }, DRIP_MS);
        return () => clearInterval(timer);
      },
    });
  });
  let isOver = false;
  const good = askOnAndOn(port, () => isOver);
  const held = await Promise.all(slow);
  isOver = true;
  const times = await good;
  for (const { text } of held) {
    const [status] = statusesIn(text);
    assert.ok(status === 408 || (text === '' && status === undefined), `a slow one was answered ${status}`);
  }
  return {
    sockets,
    goodCalls: times.length,
    p99Ms: p99(times),
    lastClosedMs: performance.now() - startedMs,
  };
}

/** Several good clients, each of whom asks again shortly after its answer; resolves to how long each answer took. */
export async function askOnAndOn(
  port: number,
  isOver: () => boolean,
  answered: (ms: number) => void = () => undefined,
  failed: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<number[]> {
  const times: number[] = [];
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver()) {
      const startedMs = performance.now();
      try {
        const status = await askOnce(port, agent);
        if (status !== 200) throw new Error(`a good client was answered ${status}`);
        const ms = performance.now() - startedMs;
        times.push(ms);
        answered(ms);
      } catch (error) {
        failed(error);
      }
      await delay(GOOD_PAUSE_MS);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: GOOD_CLIENTS }, client));
  return times;
}

/**
 * A server may let go of a connection that was idle for long just when the next request is sent, so on one that was used
 * before it is asked again, as every usual client does.
 */
function askOnce(port: number, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/api/v1/performance/overview', agent };
    const req = get(options, (res) => res.resume().on('end', () => resolve(res.statusCode)));
    req.on('error', (error: NodeJS.ErrnoException) => {
      if (req.reusedSocket && error.code === 'ECONNRESET') askOnce(port, agent).then(resolve, reject);
      else reject(error);
    });
  });
}

export function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}
