import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import * as z from 'zod';
import { createRng, type Rng } from '../../src/world/rng.ts';
import { openRawWebSocket } from '../support/raw-websocket.ts';
import { type AnyRequest, anyRequest } from './any-request.ts';

export interface LoadTarget {
  readonly url: string;
  /** Where the world is steered; without it no source fails. */
  readonly controlUrl: string | undefined;
  /** Wallets that hold something. */
  readonly wallets: readonly string[];
  readonly keys: Keys;
}

/** A key of each tier, with limits that the load does not reach. */
export type Keys = Readonly<Record<'FREE' | 'PRO' | 'INTERNAL', string>>;

export interface LoadOptions {
  readonly requestsPerSecond: number;
  /** Readers of the feed over WebSockets, and over event streams. */
  readonly sockets: number;
  readonly streams: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** What was done since the last call of `take`. */
export interface LoadTally {
  readonly statuses: Readonly<Record<string, number>>;
  readonly frames: number;
  readonly comings: number;
  readonly resumed: number;
  readonly faults: number;
  /** Readers that are connected now. */
  readonly readers: number;
}

export interface Load {
  take(): LoadTally;
  /** Resolves once everyone has gone. */
  readonly ended: Promise<void>;
}

const ACCOUNTS = ['account_a', 'account_b'] as const;
const CHANNELS = ['counters', 'tweets', 'prediction', 'crypto', 'lag', 'test', 'heartbeat'] as const;
const PRO_CHANNELS = ['velocity', 'signals'] as const;
const BAD_SHARE = 0.05;
const BAD_BATCH = 200;
/** Of the good requests, those that send the ETag of the last answer. */
const CONDITIONAL_SHARE = 0.3;
const REQUEST_SOCKETS = 8;
const STAY_MS = 45_000;
const AWAY_MS = 8_000;
/** A reader in so many stops reading for part of its stay. */
const STALLING_SHARE = 0.1;
const FAULT_EVERY_MS = 30_000;
const HUGE_BYTES = 2_000_000;

interface Counts {
  statuses: Record<string, number>;
  frames: number;
  comings: number;
  resumed: number;
  faults: number;
  readers: number;
}

/** Callers of every endpoint and tier, readers who come, go and resume, and sources that fail now and then. */
export function startLoad(target: LoadTarget, options: LoadOptions): Load {
  const { seed, sockets, streams } = options;
  const counts: Counts = { statuses: {}, frames: 0, comings: 0, resumed: 0, faults: 0, readers: 0 };
  const numbered = (length: number) => Array.from({ length }, (_, index) => index);
  const work = [
    askOnAndOn(target, options, counts),
    ...numbered(sockets).map((each) => readOnAndOn(target, options, counts, createRng(seed, 'socket', each))),
    ...numbered(streams).map((each) =>
      streamOnAndOn(target, options, counts, createRng(seed, 'stream', each)),
    ),
    failNowAndThen(target, options, counts),
  ];
  return {
    take() {
      const { statuses, frames, comings, resumed, faults, readers } = counts;
      counts.statuses = {};
      counts.frames = counts.comings = counts.resumed = counts.faults = 0;
      return { statuses, frames, comings, resumed, faults, readers };
    },
    ended: Promise.all(work).then(() => undefined),
  };
}

/** Resolves after the time, or at once when the load ends. */
const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

function count(counts: Counts, status: string): void {
  counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
}

async function askOnAndOn(
  target: LoadTarget,
  { requestsPerSecond, seed, signal }: LoadOptions,
  counts: Counts,
): Promise<void> {
  const rng = createRng(seed, 'requests');
  const agent = new Agent({ keepAlive: true, maxSockets: REQUEST_SOCKETS });
  const bad = badRequests(seed);
  const etags = new Map<string, string>();
  const underWay = new Set<Promise<void>>();
  while (!signal.aborted) {
    const isBad = rng.chance(BAD_SHARE);
    const asked = isBad ? bad.next().value : goodRequest(target, rng, etags);
    const answer = send(target.url, agent, asked).then((reply) => {
      count(counts, reply.status);
      if (reply.etag !== undefined) etags.set(etagKey(asked), reply.etag);
    });
    underWay.add(answer);
    void answer.finally(() => underWay.delete(answer));
    await pause(rng.exponential(1_000 / requestsPerSecond), signal);
  }
  await Promise.all(underWay);
  agent.destroy();
}

const etagKey = ({ path, headers }: AnyRequest) => `${headers['x-api-key'] ?? ''} ${path}`;

function* badRequests(seed: number): Generator<AnyRequest, never> {
  const arbitrary = anyRequest([
    '/api/v1/meta/account_a',
    '/api/v1/signals/account_b',
    '/api/v1/waitlist',
    '/docs',
  ]);
  for (let batch = 0; ; batch++) yield* fc.sample(arbitrary, { numRuns: BAD_BATCH, seed: seed + batch });
}

function goodRequest({ keys, wallets }: LoadTarget, rng: Rng, etags: Map<string, string>): AnyRequest {
  const account = rng.pick(ACCOUNTS);
  const wallet = wallets[rng.int(0, wallets.length - 1)] ?? `0x${'a1'.repeat(20)}`;
  const pastMs = Date.now() - rng.int(1_000, 3_600_000);
  const nowS = Math.floor(Date.now() / 1_000);
  const api = '/api/v1';
  const [path, tier] = rng.pick<readonly [string, keyof Keys | undefined]>([
    [`${api}/meta/${account}`, undefined],
    [`${api}/meta/${account}`, 'FREE'],
    [`${api}/meta/${account}?as_of=${pastMs}`, 'PRO'],
    [`${api}/meta/crypto`, 'FREE'],
    [`${api}/meta/${account}/tweets`, 'FREE'],
    [`${api}/meta/${account}/tweets?limit=100&offset=${rng.int(0, 500)}`, 'PRO'],
    [`${api}/meta/${account}/tweets?as_of=${pastMs}`, 'PRO'],
    [`${api}/meta/${account}/lag`, 'FREE'],
    [`${api}/prediction/${account}`, 'FREE'],
    [`${api}/prediction/${account}`, 'PRO'],
    [`${api}/prediction/${account}?as_of=${pastMs}`, 'PRO'],
    [`${api}/signals/${account}?bankroll=${rng.int(1, 100_000)}`, 'PRO'],
    [`${api}/signals/${account}?as_of=${pastMs}`, 'PRO'],
    [`${api}/portfolio/${account}?wallet=${wallet}`, 'PRO'],
    [`${api}/portfolio/account_a/rebalancing?wallet=${wallet}&bankroll=1000`, 'PRO'],
    [`${api}/performance/overview`, 'FREE'],
    [`${api}/performance/history?horizon=24&days=30`, 'FREE'],
    [`${api}/performance/calibration`, 'FREE'],
    [`${api}/usage/summary?days=7`, 'INTERNAL'],
    [`${api}/usage/by-endpoint?start=${nowS - 86_400}&end=${nowS}`, 'INTERNAL'],
    [`${api}/usage/errors?limit=100`, 'INTERNAL'],
    [`${api}/usage/stats`, 'INTERNAL'],
    [`${api}/health`, undefined],
    ['/livez', undefined],
    ['/readyz', undefined],
    [`${api}/openapi.json`, undefined],
    ['/', undefined],
  ]);
  const key = tier === undefined ? {} : { 'x-api-key': keys[tier] };
  const asked = { method: 'GET', path, headers: key, body: '' };
  const etag = rng.chance(CONDITIONAL_SHARE) ? etags.get(etagKey(asked)) : undefined;
  return etag === undefined ? asked : { ...asked, headers: { ...key, 'if-none-match': etag } };
}

interface Reply {
  readonly status: string;
  readonly etag: string | undefined;
}

/** What cannot be sent, or breaks, has its error's code for a status. */
function send(url: string, agent: Agent, { method, path, headers, body }: AnyRequest): Promise<Reply> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => resolve({ status: codeOf(error), etag: undefined });
    try {
      const sent = request(new URL(url), { method, path, headers, agent }, (res: IncomingMessage) => {
        res.resume();
        // An answer that breaks off is not an error of the request.
        res.on('close', () => resolve({ status: String(res.statusCode), etag: res.headers.etag }));
      });
      sent.on('error', failed);
      sent.end(body);
    } catch (error) {
      failed(error);
    }
  });
}

const codeOf = (error: unknown) => z.object({ code: z.string() }).catch({ code: 'failed' }).parse(error).code;

interface Cursor {
  readonly epoch: string;
  readonly seq: number;
}

async function readOnAndOn(
  target: LoadTarget,
  { signal }: LoadOptions,
  counts: Counts,
  rng: Rng,
): Promise<void> {
  const cursors = new Map<string, Cursor>();
  const port = Number(new URL(target.url).port);
  while (!signal.aborted) {
    const tier = rng.pick<keyof Keys | undefined>([undefined, 'FREE', 'PRO', 'PRO', 'INTERNAL']);
    const key = tier === undefined ? [] : [`X-API-Key: ${target.keys[tier]}`];
    const channels = channelsFor(tier, rng, cursors);
    counts.comings += 1;
    counts.resumed += channels.filter((each) => 'resume' in each).length;
    counts.readers += 1;
    await new Promise<void>((resolve) => {
      const leaving = new AbortController();
      const raw = openRawWebSocket(port, '/api/v1/feed', key, {
        onOpen: (socket) => socket.send(JSON.stringify({ op: 'subscribe', channels })),
        onText(text) {
          counts.frames += 1;
          const [, channel, account, epoch, seq] = FRAME_START.exec(text) ?? [];
          if (channel === undefined || epoch === undefined) return;
          cursors.set(`${channel} ${account}`, { epoch, seq: Number(seq) });
        },
        onClose() {
          leaving.abort();
          resolve();
        },
      });
      const stay = AbortSignal.any([signal, leaving.signal]);
      const leave = async () => {
        const stayMs = rng.exponential(STAY_MS);
        if (rng.chance(STALLING_SHARE)) {
          await pause(stayMs / 2, stay);
          raw.socket.pause();
          await pause(stayMs / 2, stay);
          raw.socket.resume();
        } else await pause(stayMs, stay);
        if (rng.chance(0.5)) raw.socket.end();
        else raw.socket.destroy();
        // The other side may never close what stalled.
        await pause(1_000, leaving.signal);
        raw.socket.destroy();
      };
      void leave();
    });
    counts.readers -= 1;
    await pause(rng.exponential(AWAY_MS), signal);
  }
}

const FRAME_START = /^\{"type":"\w+","channel":"(\w+)","account":(null|"\w+"),"epoch":"([^"]+)","seq":(\d+)/;

interface Subscription {
  readonly channel: string;
  readonly account?: string;
  readonly resume?: Cursor;
}

function channelsFor(
  tier: keyof Keys | undefined,
  rng: Rng,
  cursors: ReadonlyMap<string, Cursor>,
): readonly Subscription[] {
  const isPro = tier === 'PRO' || tier === 'INTERNAL';
  const wanted = [...CHANNELS, ...(isPro ? PRO_CHANNELS : [])].filter(() => rng.chance(0.6));
  const subscribe = (channel: string, account?: (typeof ACCOUNTS)[number]): Subscription => {
    const cursor = cursors.get(`${channel} ${account === undefined ? 'null' : `"${account}"`}`);
    const resume = cursor !== undefined && { resume: cursor };
    return { channel, ...(account !== undefined && { account }), ...resume };
  };
  return ['test', ...wanted.filter((channel) => channel !== 'test')].flatMap((channel) =>
    channel === 'crypto' || channel === 'test' || channel === 'heartbeat'
      ? [subscribe(channel)]
      : ACCOUNTS.map((account) => subscribe(channel, account)),
  );
}

async function streamOnAndOn(
  { url, keys }: LoadTarget,
  { signal }: LoadOptions,
  counts: Counts,
  rng: Rng,
): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    const stay = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(rng.exponential(STAY_MS)))]);
    const resume = lastId !== undefined && rng.chance(0.7) ? { 'last-event-id': lastId } : {};
    const headers = { accept: 'text/event-stream', 'x-api-key': keys.PRO, ...resume };
    counts.comings += 1;
    counts.readers += 1;
    try {
      // A stream has at most 300 channels, and each account has its own.
      const ofAccounts = ['tweets', 'prediction', 'signals'].flatMap((channel) =>
        ACCOUNTS.map((account) => `${channel}/${account}`),
      );
      const path = `/api/v1/feed?channels=counters,heartbeat,${ofAccounts.join(',')}`;
      const { status, body } = await fetch(`${url}${path}`, { headers, signal: stay });
      count(counts, String(status));
      let rest = '';
      for await (const bytes of body ?? []) {
        const lines = `${rest}${Buffer.from(bytes).toString('utf8')}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('data:')) counts.frames += 1;
          if (line.startsWith('id: ')) lastId = line.slice(4);
        }
      }
    } catch (error) {
      if (!stay.aborted) count(counts, codeOf(error));
    }
    counts.readers -= 1;
    await pause(rng.exponential(AWAY_MS), signal);
  }
}

const ROLES = [
  'posts',
  'oracle',
  'market',
  'book',
  'crypto',
  'positions',
  'bookSocket',
  'cryptoSocket',
] as const;
const KINDS = [
  'status',
  'html',
  'truncated',
  'wrong-types',
  'odd-element',
  'slow',
  'hang',
  'reset',
  'huge',
] as const;

async function failNowAndThen(
  { controlUrl }: LoadTarget,
  { seed, signal }: LoadOptions,
  counts: Counts,
): Promise<void> {
  if (controlUrl === undefined) return;
  const rng = createRng(seed, 'faults');
  const steer = async (verb: string, body: object) => {
    await fetch(`${controlUrl}/${verb}`, { method: 'POST', body: JSON.stringify(body) });
  };
  for (;;) {
    await pause(rng.exponential(FAULT_EVERY_MS), signal);
    if (signal.aborted) return;
    counts.faults += 1;
    const socket = rng.pick(['book', 'crypto']);
    if (rng.chance(0.2)) await steer('drop-socket', { socket });
    else if (rng.chance(0.1)) {
      await steer('freeze-socket', { socket });
      await pause(20_000, signal);
      await steer('thaw-socket', { socket });
    } else {
      const times = rng.int(1, 5);
      await steer('fault', { role: rng.pick(ROLES), kind: rng.pick(KINDS), times, bytes: HUGE_BYTES });
    }
  }
}
