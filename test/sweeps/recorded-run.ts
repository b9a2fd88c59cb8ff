import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import {
  type Observation,
  openRecordedService,
  type RecordedService,
  readLog,
} from '../support/recorded-service.ts';
import { type Ask, asksOf, CALLERS, type Moment } from './recorded-asks.ts';
import { type Collector, createCollector, type Group, type RunResult } from './recorded-digests.ts';
import {
  type ChannelRequest,
  FREE_CURSOR,
  freeName,
  openSocket,
  openStream,
  type Reader,
  type ReaderDeps,
  sendAll,
} from './recorded-readers.ts';

/**
 * Runs a recorded log through the service and records every byte that is served meanwhile, over REST and the feed. One
 * log always gives the same digests: a different digest means that something else was served.
 */
export interface RecordedRun {
  readonly log: readonly Observation[];
  readonly store: 'lmdb' | 'memory';
  /** Turns between two rounds of all requests. */
  readonly fullEvery: number;
  /** Turns between two rounds of requests that are not refused. */
  readonly briefEvery: number;
  /** A folder for the texts themselves. */
  readonly texts?: string | undefined;
  readonly report: (line: string) => void;
}

/** Replaces the feed's own epoch in the texts, which differs at every start. */
const EPOCH = '00000000-0000-4000-8000-000000000000';
/** How many frames a reader that resumes has missed. */
const MISSED = 200;
/** Far longer than any machine needs. */
const GIVE_UP_MS = 90_000;
/** Headers that depend on the machine or the connection. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive']);

const FREE_CHANNELS = ['counters', 'tweets', 'prediction', 'crypto', 'lag', 'heartbeat', 'test'];
const ALL_CHANNELS = [...FREE_CHANNELS, 'velocity', 'signals'];

const requestsFor = (channels: readonly string[]): ChannelRequest[] =>
  channels.map((channel) => ({ channel }));

/** From a data folder, which stays as it is, or from a file of lines that `saveObservations` wrote. */
export async function loadObservations(
  path: string,
  most = Number.POSITIVE_INFINITY,
): Promise<Observation[]> {
  if (statSync(path).isDirectory()) return readLog(path, most);
  const lines = brotliDecompressSync(readFileSync(path)).toString().split('\n');
  // Written by us from a log.
  const parse = (line: string) => JSON.parse(line) as Observation;
  return lines
    .filter((line) => line !== '')
    .slice(0, most)
    .map(parse);
}

export function saveObservations(path: string, log: readonly Observation[]): void {
  const text = log.map((observation) => `${JSON.stringify(observation)}\n`).join('');
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
  };
  writeFileSync(path, brotliCompressSync(text, { params }));
}

/** Observations received at one instant are one turn. */
function turnsOf(log: readonly Observation[]): readonly (readonly Observation[])[] {
  const turns: Observation[][] = [];
  for (const observation of log) {
    const turn = turns.at(-1);
    if (turn?.[0]?.receivedAt === observation.receivedAt) turn.push(observation);
    else turns.push([observation]);
  }
  return turns;
}

export async function runRecorded(run: RecordedRun): Promise<RunResult> {
  const { log, store, fullEvery, briefEvery, texts, report } = run;
  const [settings] = log;
  if (settings === undefined) throw new RangeError('the log is empty');
  const turns = turnsOf(log);
  const collector = createCollector(texts);
  const service = await openRecordedService({ store, settings });
  const readers = createReaders(service, collector);
  const firstAt = settings.receivedAt;
  const startedMs = performance.now();
  let round = 0;
  let asked = 0;
  try {
    await askAll(service, collector, asksOf({ round, firstAt, now: firstAt }, false));
    for (const [index, turn] of turns.entries()) {
      await service.turn(turn);
      const at = turn.at(-1)?.receivedAt ?? 0;
      const hasTick = turn.some(({ fact }) => fact.kind === 'tick');
      if (!readers.areOpen && turn.some(({ fact }) => fact.kind === 'event')) await readers.open();
      else await readers.reach(hasTick ? at : undefined);
      const count = index + 1;
      const isFull = count % fullEvery === 0 || count === turns.length;
      if (!isFull && count % briefEvery !== 0) continue;
      round += 1;
      const moment: Moment = { round, firstAt, now: at };
      await service.flushUsage();
      asked += await askAll(service, collector, asksOf(moment, isFull));
      if (!isFull) continue;
      await readers.openBriefly();
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      report(`turn ${count} of ${turns.length}: ${asked} answers, ${readers.frames()} frames, ${seconds} s`);
    }
    await readers.close();
  } finally {
    await service.stop();
  }
  if (service.failures.length > 0) throw new AggregateError(service.failures, 'the service reported errors');
  const sha256 = createHash('sha256');
  for (const observation of log) sha256.update(JSON.stringify(observation));
  return collector.finish({
    log: { observations: log.length, turns: turns.length, sha256: sha256.digest('hex') },
    plan: { fullEvery, briefEvery },
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One after the other, as usage is counted in their order. */
async function askAll(service: RecordedService, collector: Collector, asks: readonly Ask[]): Promise<number> {
  // A new one each round, as the server closes connections that are idle for some seconds.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = new URL(service.url);
  let count = 0;
  try {
    for (const ask of asks) {
      const answer = await send(url, agent, ask);
      note(collector, ask, ask.name, answer);
      count += 1;
      const { etag } = answer.headers;
      if (!ask.isConditional || etag === undefined || 'if-none-match' in ask.headers) continue;
      const again = { ...ask, headers: { ...ask.headers, 'if-none-match': etag } };
      note(collector, ask, `${ask.name} again`, await send(url, agent, again));
      count += 1;
    }
  } finally {
    agent.destroy();
  }
  return count;
}

function note(
  collector: Collector,
  { isDocument }: Ask,
  name: string,
  { status, headers, body }: Answer,
): void {
  const served = Object.entries(headers)
    .filter(([header]) => !LEFT_OUT.has(header))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([header, value]) => `${header}: ${value}`);
  const text = `${served.join('; ')} | ${body}`;
  collector.add(isDocument ? 'documents' : groupOf(status), name, String(status), text);
}

function groupOf(status: number): Group {
  if (status === 200) return 'ok';
  if (status === 304) return 'not_modified';
  return status === 422 ? 'unprocessable' : 'other';
}

function send(url: URL, agent: Agent, { method, path, headers, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const { hostname, port } = url;
    const options = { hostname, port, agent, method, path, headers: { ...headers, ...length } };
    const req = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const received = Object.entries(res.headers).map(([name, text]) => [name, String(text)]);
        resolve({
          status: res.statusCode ?? 0,
          headers: Object.fromEntries(received),
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    req.setTimeout(GIVE_UP_MS, () => req.destroy(new Error('no answer')));
    req.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`)));
    req.end(body);
  });
}

/** All readers of the feed: some from the beginning on, others now and then. */
function createReaders(service: RecordedService, collector: Collector) {
  const { url, feedEpoch, topicSeqs } = service;
  let staying: readonly Reader[] = [];
  let stream: Reader | undefined;
  let leftCursor: string | undefined;
  let frames = 0;

  function onFrame(reader: string, topic: string, type: string, text: string): void {
    frames += 1;
    collector.add('frames', `${reader} ${topic}`.trim(), type, text.replaceAll(feedEpoch, EPOCH));
  }
  const deps = (name: string, key?: string): ReaderDeps => ({ url, name, key, onFrame });
  const socket = (name: string, key: string | undefined, channels: readonly ChannelRequest[]) =>
    openSocket(deps(`socket ${name}`, key), channels);
  const query = (channels: readonly string[]) => `channels=${channels.join(',')}`;

  /** A reader that leaves once it has everything. */
  async function readOnce(opening: Promise<Reader>): Promise<void> {
    const reader = await opening;
    await reader.reach(topicSeqs, undefined);
    await reader.close();
  }

  /** A cursor into each topic of a PRO or FREE reader, `missed` frames behind its end. */
  function behind(missed: number, tier: 'PRO' | 'FREE' = 'PRO'): ChannelRequest[] {
    const isShared = (topic: string) => topic.split(' ').length === 1;
    return [...topicSeqs.keys()].filter(isShared).map((topic) => {
      const [channel = '', account] = topic.split('/');
      const free = tier === 'FREE' ? topicSeqs.get(freeName(topic)) : undefined;
      const seq = free ?? topicSeqs.get(topic) ?? 0;
      const first = free === undefined ? 0 : FREE_CURSOR;
      const resume = { epoch: feedEpoch, seq: Math.max(first, seq - missed) };
      return { channel, ...(account === undefined ? {} : { account }), resume };
    });
  }

  return {
    get areOpen() {
      return staying.length > 0;
    },
    frames: () => frames,

    async open() {
      stream = await openStream(deps('stream pro', CALLERS.pro), query(ALL_CHANNELS));
      staying = [
        await socket('none', CALLERS.none, requestsFor(FREE_CHANNELS)),
        await socket('free', CALLERS.free, requestsFor(FREE_CHANNELS)),
        await socket('pro', CALLERS.pro, requestsFor(ALL_CHANNELS)),
        await socket('internal', CALLERS.internal, requestsFor(ALL_CHANNELS)),
        await socket('own bankroll', CALLERS.pro, [
          { channel: 'signals', bankroll: 250, include_unproven: true },
          { channel: 'prediction', account: 'account_a' },
        ]),
        await openStream(deps('stream none'), query(FREE_CHANNELS)),
        stream,
        await openStream(deps('stream internal', CALLERS.internal), query(ALL_CHANNELS)),
        await openStream(
          deps('stream own bankroll', CALLERS.pro),
          'channels=signals/account_a,test&bankroll=1234.5&include_unproven=true',
        ),
      ];
      for (const reader of staying) await reader.reach(topicSeqs, undefined);
      // The first reader that resumes gets everything from here on.
      leftCursor = stream.cursor;
    },

    async reach(beatAt: number | undefined) {
      for (const reader of staying) await reader.reach(topicSeqs, beatAt);
    },

    /** Readers that do not stay. */
    async openBriefly() {
      if (stream === undefined) return;
      for (const reader of staying) {
        if (reader.name.startsWith('socket')) await reader.ask({ op: 'ping', id: 7 }, 'pong');
      }
      await readOnce(socket('new none', CALLERS.none, requestsFor(FREE_CHANNELS)));
      await readOnce(socket('new pro', CALLERS.pro, requestsFor(ALL_CHANNELS)));
      await readOnce(openStream(deps('stream new', CALLERS.pro), query(ALL_CHANNELS)));
      await readOnce(socket('back pro', CALLERS.pro, behind(MISSED)));
      const isFree = ({ channel }: ChannelRequest) => FREE_CHANNELS.includes(channel);
      await readOnce(socket('back none', CALLERS.none, behind(MISSED, 'FREE').filter(isFree)));
      await readOnce(
        socket('back own bankroll', CALLERS.pro, [
          ...behind(20)
            .filter(({ channel }) => channel === 'signals')
            .map((request) => ({ ...request, bankroll: 77, include_unproven: true })),
        ]),
      );
      await readOnce(openStream(deps('stream back', CALLERS.pro), query(ALL_CHANNELS), leftCursor));
      leftCursor = stream.cursor;
      await sendOddMessages();
    },

    async close() {
      for (const reader of staying) await reader.close();
    },
  };

  /** Odd and invalid messages. */
  async function sendOddMessages(): Promise<void> {
    const counters = { channel: 'counters', account: 'account_a' };
    const foreign = { epoch: 'another', seq: 1 };
    await sendAll(deps('odd messages', CALLERS.pro), [
      { op: 'ping' },
      { op: 'subscribe', id: 'x', channels: [{ channel: 'counters', account: 'account_c' }] },
      { op: 'subscribe', channels: [{ channel: 'counters', resume: foreign }] },
      { op: 'subscribe', id: 2, channels: [{ channel: 'lag', account: 'account_a', resume: foreign }] },
      { op: 'subscribe', id: 3, channels: [counters], resume: { epoch: feedEpoch, seq: 1_000_000_000 } },
      { op: 'auth', key: 'demo_pro' },
      { op: 'unsubscribe', id: 4, channels: [counters] },
      { op: 'ping', id: 5 },
    ]);
    await sendAll(deps('odd faults'), [
      'x',
      '{}',
      { op: 'subscribe' },
      { op: 'subscribe', channels: [] },
      { op: 'subscribe', channels: [{ channel: 'nothing' }] },
      { op: 'ping', id: {} },
    ]);
    await sendAll(deps('odd key'), [{ op: 'auth', id: 1, key: 'nope' }]);
    await sendAll(deps('odd auth'), [
      { op: 'auth', id: 1, key: 'demo_pro' },
      { op: 'subscribe', id: 2, channels: [{ channel: 'velocity' }] },
    ]);
    await sendAll(deps('odd tier'), [
      {
        op: 'subscribe',
        id: 1,
        channels: [{ channel: 'signals' }, { channel: 'velocity' }, { channel: 'lag' }],
      },
    ]);
  }
}
