import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';

/** Readers of the feed in a recorded run: they know of it what they are sent. */

const PATIENCE_MS = 20_000;

/** What has to be looked at in a frame of whatever type. */
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
  /** Told of each frame in the order they come; `topic` is empty for what is said to this reader alone. */
  readonly heard: (reader: string, topic: string, type: string, text: string) => void;
}

export interface Reader {
  readonly name: string;
  /** Of the last frame of each topic. */
  readonly seqs: ReadonlyMap<string, number>;
  /** The last cursor over all topics; of an event stream alone. */
  readonly cursor: string;
  /** Resolves once he is as far as `told` in all he subscribed to, and saw the heartbeat of `beatAt` if there was one. */
  reach(told: ReadonlyMap<string, number>, beatAt: number | undefined): Promise<void>;
  /** Sends a message, and resolves with the reply of this type. */
  ask(message: object, replyType: string): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelWish {
  readonly channel: string;
  readonly account?: string;
  readonly bankroll?: number;
  readonly include_unproven?: boolean;
  readonly resume?: { readonly epoch: string; readonly seq: number };
}

/** What a reader was sent so far. */
function createNotes(
  { name, heard }: Pick<ReaderDeps, 'name' | 'heard'>,
  known: Iterable<readonly [topic: string, seq: number]>,
) {
  const seqs = new Map<string, number>(known);
  const subscribed = new Set<string>();
  const types = new Map<string, number>();
  let beatAt = 0;

  function hear(text: string, prefix = ''): void {
    const frame = read(text);
    const { type, channel, account, seq, ts } = frame;
    const isTold = type === 'update' || type === 'snapshot' || type === 'heartbeat';
    const topic = isTold && channel !== undefined ? topicName(channel, account) : '';
    if (type === 'subscribed') {
      for (const each of frame.channels ?? []) subscribed.add(topicName(each.channel, each.account));
    }
    if (type === 'heartbeat') beatAt = ts ?? 0;
    else if (isTold && seq !== undefined) seqs.set(topic, seq);
    types.set(type, (types.get(type) ?? 0) + 1);
    heard(name, topic, type, prefix + text);
  }

  return {
    seqs,
    hear,
    countOf: (type: string) => types.get(type) ?? 0,
    async reach(told: ReadonlyMap<string, number>, at: number | undefined): Promise<void> {
      // Of a topic without frames there is a snapshot too; the heartbeat has none.
      const behind = () =>
        [...subscribed].filter(
          (topic) => topic !== 'heartbeat' && (seqs.get(topic) ?? -1) < (told.get(topic) ?? 0),
        );
      const hasBeat = () => at === undefined || !subscribed.has('heartbeat') || beatAt >= at;
      await until(
        () => subscribed.size > 0 && behind().length === 0 && hasBeat(),
        () => `${name} was not told all of ${behind().join(', ')}; last heartbeat ${beatAt}, expected ${at}`,
      );
    },
  };
}

/** Most are long, and all that is looked at stands at the beginning. */
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
  const deadline = performance.now() + PATIENCE_MS;
  while (!isThere()) {
    if (performance.now() > deadline) throw new Error(failure());
    await nextLoop();
  }
}

/** Connects and subscribes. Nothing is waited for but the connection. */
export async function openSocket(deps: ReaderDeps, channels: readonly ChannelWish[]): Promise<Reader> {
  const { url, key, name } = deps;
  const notes = createNotes(
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
  ws.on('message', (data) => notes.hear(String(data)));
  await once(ws, 'open');
  ws.send(JSON.stringify({ op: 'subscribe', id: name, channels }));
  return {
    name,
    seqs: notes.seqs,
    cursor: '',
    reach: notes.reach,
    async ask(message, replyType) {
      const before = notes.countOf(replyType);
      ws.send(JSON.stringify(message));
      await until(
        () => notes.countOf(replyType) > before,
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
  { url, key, name, heard }: ReaderDeps,
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
    heard(name, '', anyFrame.parse(JSON.parse(text)).type, text);
  });
  ws.once('close', (closeCode, reason) => {
    code = closeCode;
    heard(name, '', 'close', `${closeCode} ${reason}`);
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
  const notes = createNotes(
    deps,
    known.map((place) => {
      const [topic = '', seq] = place.split('=');
      return [topic, Number(seq)] as const;
    }),
  );
  let lastId = '';
  let rest = '';
  function hearAll(chunk: string): void {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n');
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
      // What keeps proxies awake comes by the clock of the machine.
      if (data === undefined) continue;
      const others = lines.filter((line) => !line.startsWith('data: '));
      lastId = others.find((line) => line.startsWith('id: '))?.slice(4) ?? lastId;
      notes.hear(data, others.map((line) => `${line} `).join(''));
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
  response.on('data', hearAll).on('error', () => undefined);
  request.on('error', () => undefined);
  return {
    name,
    seqs: notes.seqs,
    get cursor() {
      return lastId;
    },
    reach: notes.reach,
    ask: () => Promise.reject(new TypeError('a stream goes one way')),
    async close() {
      request.destroy();
      await closed;
    },
  };
}
