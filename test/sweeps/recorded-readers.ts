import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';

/** Readers of the feed in a recorded run. */

/** Far longer than any machine needs. */
const GIVE_UP_MS = 90_000;

/** The fields that are read of a frame of any type. */
const anyFrame = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  account: z.string().nullish(),
  seq: z.int().optional(),
  ts: z.number().optional(),
  channels: z
    .array(z.looseObject({ channel: z.string(), account: z.string().nullable(), seq: z.int().nullish() }))
    .optional(),
});

export interface ReaderDeps {
  readonly url: string;
  readonly name: string;
  readonly key: string | undefined;
  /** Called with each frame in order of arrival; `topic` is empty for a frame to this reader alone. */
  readonly onFrame: (reader: string, topic: string, type: string, text: string) => void;
}

export interface Reader {
  readonly name: string;
  /** The seq of the last frame of each topic. */
  readonly seqs: ReadonlyMap<string, number>;
  /** The last cursor over all topics; of an event stream alone. */
  readonly cursor: string;
  /** Resolves once the reader has all its topics up to `topicSeqs`, and the heartbeat of `beatAt` if one is given. */
  reach(topicSeqs: ReadonlyMap<string, number>, beatAt: number | undefined): Promise<void>;
  /** Sends a message, and resolves with the reply of this type. */
  ask(message: object, replyType: string): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelRequest {
  readonly channel: string;
  readonly account?: string;
  readonly bankroll?: number;
  readonly include_unproven?: boolean;
  readonly resume?: { readonly epoch: string; readonly seq: number };
}

/** What FREE readers see otherwise than PRO has numbers after this one, under a name of its own. */
export const FREE_CURSOR = 1_000_000_000_000;
export const freeName = (topic: string) => `${topic} FREE`;

/** The frames that a reader received so far. */
function createReceived(
  { name, onFrame }: Pick<ReaderDeps, 'name' | 'onFrame'>,
  known: Iterable<readonly [topic: string, seq: number]>,
) {
  const seqs = new Map<string, number>(known);
  const subscribed = new Set<string>();
  const types = new Map<string, number>();
  let beatAt = 0;

  function receive(text: string, prefix = ''): void {
    const frame = read(text);
    const { type, channel, account, seq, ts } = frame;
    const isOfTopic = type === 'update' || type === 'snapshot' || type === 'heartbeat';
    const topic = isOfTopic && channel !== undefined ? topicName(channel, account) : '';
    if (type === 'subscribed') {
      for (const each of frame.channels ?? []) subscribed.add(topicName(each.channel, each.account));
    }
    if (type === 'heartbeat') beatAt = ts ?? 0;
    else if (isOfTopic && seq !== undefined) seqs.set(topic, seq);
    types.set(type, (types.get(type) ?? 0) + 1);
    onFrame(name, topic, type, prefix + text);
  }

  return {
    seqs,
    receive,
    countOf: (type: string) => types.get(type) ?? 0,
    async reach(topicSeqs: ReadonlyMap<string, number>, at: number | undefined): Promise<void> {
      // Of a topic without frames there is a snapshot too; the heartbeat has none.
      const behind = () =>
        [...subscribed].filter(
          (topic) => topic !== 'heartbeat' && (seqs.get(topic) ?? -1) < lastOf(topic, seqs.get(topic) ?? -1),
        );
      const lastOf = (topic: string, seq: number) =>
        topicSeqs.get(seq < FREE_CURSOR ? topic : freeName(topic)) ?? 0;
      const hasBeat = () => at === undefined || !subscribed.has('heartbeat') || beatAt >= at;
      await until(
        () => subscribed.size > 0 && behind().length === 0 && hasBeat(),
        () =>
          `${name} did not receive all of ${behind().join(', ')}; last heartbeat ${beatAt}, expected ${at}`,
      );
    },
  };
}

/** Most frames are long updates, and the fields that are read come first. */
const UPDATE =
  /^\{"type":"update","channel":"(\w+)","account":(?:null|"(\w+)"),"epoch":"[\w-]+","seq":(\d+),/;

function read(text: string): z.output<typeof anyFrame> {
  const [, channel, account, seq] = UPDATE.exec(text) ?? [];
  if (channel === undefined) return anyFrame.parse(JSON.parse(text));
  return { type: 'update', channel, account, seq: Number(seq) };
}

function topicName(channel: string, account: string | null | undefined): string {
  return account === null || account === undefined ? channel : `${channel}/${account}`;
}

async function until(isThere: () => boolean, failure: () => string): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (!isThere()) {
    if (performance.now() > deadline) throw new Error(failure());
    await nextLoop();
  }
}

/** Connects and subscribes. Waits only for the connection. */
export async function openSocket(deps: ReaderDeps, channels: readonly ChannelRequest[]): Promise<Reader> {
  const { url, key, name } = deps;
  const received = createReceived(
    deps,
    channels.flatMap(({ channel, account, resume }) =>
      resume === undefined ? [] : [[topicName(channel, account), resume.seq] as const],
    ),
  );
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, {
    headers: key === undefined ? {} : { 'x-api-key': key },
    perMessageDeflate: false,
  });
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  ws.on('message', (data) => received.receive(String(data)));
  await once(ws, 'open');
  ws.send(JSON.stringify({ op: 'subscribe', id: name, channels }));
  return {
    name,
    seqs: received.seqs,
    cursor: '',
    reach: received.reach,
    async ask(message, replyType) {
      const before = received.countOf(replyType);
      ws.send(JSON.stringify(message));
      await until(
        () => received.countOf(replyType) > before,
        () => `${name} got no ${replyType}`,
      );
    },
    async close() {
      ws.close();
      await closed;
    },
  };
}

/** Sends texts one by one, each after the reply to the one before, until all are sent or the server closes. */
export async function sendAll(
  { url, key, name, onFrame }: ReaderDeps,
  messages: readonly (object | string)[],
): Promise<void> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, {
    headers: key === undefined ? {} : { 'x-api-key': key },
    perMessageDeflate: false,
  });
  let frames = 0;
  let code: number | undefined;
  ws.on('message', (data) => {
    frames += 1;
    const text = String(data);
    onFrame(name, '', anyFrame.parse(JSON.parse(text)).type, text);
  });
  ws.once('close', (closeCode, reason) => {
    code = closeCode;
    onFrame(name, '', 'close', `${closeCode} ${reason}`);
  });
  await once(ws, 'open');
  for (const message of messages) {
    if (ws.readyState !== ws.OPEN) break;
    const before = frames;
    ws.send(typeof message === 'string' ? message : JSON.stringify(message));
    await until(
      () => frames > before || code !== undefined,
      () => `${name} got no reply to ${JSON.stringify(message)}`,
    );
    // Whatever else belongs to the reply comes before this.
    await roundTrip(ws);
  }
  ws.close();
  await until(
    () => code !== undefined,
    () => `${name} was not closed`,
  );
}

async function roundTrip(ws: WebSocket): Promise<void> {
  if (ws.readyState !== ws.OPEN) return;
  let isBack = false;
  ws.once('pong', () => {
    isBack = true;
  }).once('close', () => {
    isBack = true;
  });
  ws.ping();
  await until(
    () => isBack,
    () => 'no pong',
  );
}

/** An event stream; `cursor` is where an earlier one was left. */
export async function openStream(deps: ReaderDeps, query: string, cursor?: string): Promise<Reader> {
  const { url, key, name } = deps;
  const known = cursor === undefined ? [] : cursor.split(';').slice(1);
  const received = createReceived(
    deps,
    known.map((place) => {
      const [topic = '', seq] = place.split('=');
      return [topic, Number(seq)] as const;
    }),
  );
  let lastId = '';
  let rest = '';
  function receiveAll(chunk: string): void {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n');
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
      // Comments that keep proxies from closing the connection come by the clock of the machine.
      if (data === undefined) continue;
      const others = lines.filter((line) => !line.startsWith('data: '));
      lastId = others.find((line) => line.startsWith('id: '))?.slice(4) ?? lastId;
      received.receive(data, others.map((line) => `${line} `).join(''));
    }
  }
  const headers = {
    accept: 'text/event-stream',
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(cursor === undefined ? {} : { 'last-event-id': cursor }),
  };
  const request: ClientRequest = get(`${url}/api/v1/feed?${query}`, { headers, agent: false });
  const closed = new Promise<void>((resolve) => void request.once('close', resolve));
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`${name} was answered ${response.statusCode}`);
  response.setEncoding('utf8');
  response.on('data', receiveAll).on('error', () => undefined);
  request.on('error', () => undefined);
  return {
    name,
    seqs: received.seqs,
    get cursor() {
      return lastId;
    },
    reach: received.reach,
    ask: () => Promise.reject(new TypeError('a stream goes one way')),
    async close() {
      request.destroy();
      await closed;
    },
  };
}
