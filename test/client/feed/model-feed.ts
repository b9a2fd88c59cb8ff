import { setTimeout as delay } from 'node:timers/promises';
import type { FeedSocket, FeedSocketClass } from '../../../src/client/feed/socket.ts';
import type { ClientMessage, Cursor } from '../../../src/client/wire.ts';

/** A small server of the feed's protocol, with sockets that break whenever the test wants. */
interface ModelFeed {
  readonly Socket: FeedSocketClass;
  /** Append a frame to the lossless channel or to the state channel, and send it to every connection. */
  post(): void;
  change(key: string): void;
  beat(): void;
  /** Cuts every socket, and loses the last `lost` frames on their way. */
  cut(lost: number): void;
  /** Sends nothing until `wake`, and then only the newest frame of each key of the state channel. */
  stall(): void;
  wake(): void;
  /** Sends the last frames once more. */
  repeat(count: number): void;
  /** Omits one frame, which no server should do. */
  skip(): void;
  /** Starts a new numbering. */
  renumber(): void;
  /** Forgets all but the newest frames, so that older cursors cannot be resumed. */
  forget(): void;
  readonly log: readonly string[];
  state(): Readonly<Record<string, number>>;
  readonly connects: number;
  /** Waits until all frames on their way have arrived. */
  settle(): Promise<void>;
}

const ACCOUNT = 'account_a';

interface Entry {
  readonly seq: number;
  readonly key: string;
  readonly data: object;
}

interface Peer {
  readonly socket: ModelSocket;
  readonly sent: Map<string, number>;
  isStalled: boolean;
}

class ModelSocket implements FeedSocket {
  onopen: ((event: never) => unknown) | null = null;
  onmessage: ((event: never) => unknown) | null = null;
  onclose: ((event: never) => unknown) | null = null;
  onerror: ((event: never) => unknown) | null = null;
  isDead = false;
  readonly onText: (text: string) => void;
  /** On their way to the reader. */
  queue: string[] = [];

  constructor(onText: (text: string) => void) {
    this.onText = onText;
  }
  send(text: string): void {
    if (!this.isDead) this.onText(text);
  }
  close(): void {
    this.isDead = true;
  }
  emit(name: 'onopen' | 'onmessage' | 'onclose', event: object): void {
    const handler = this[name] as ((event: object) => unknown) | null;
    handler?.(event);
  }
  push(text: string): void {
    this.queue.push(text);
    queueMicrotask(() => this.deliver());
  }
  deliver(): void {
    const text = this.queue.shift();
    if (text !== undefined && !this.isDead) this.emit('onmessage', { data: text });
  }
  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.queue = [];
    this.emit('onclose', { code: 1006, reason: '' });
  }
}

export function createModelFeed(): ModelFeed {
  let epoch = 1;
  let floor = 0;
  let connects = 0;
  let now = 0;
  const logs = new Map<string, Entry[]>([
    ['tweets', []],
    ['counters', []],
  ]);
  const texts: string[] = [];
  const peers = new Set<Peer>();
  const logOf = (channel: string) => logs.get(channel) ?? [];

  const place = (channel: string) => ({ channel, account: ACCOUNT, epoch: `e${epoch}` });
  const updateText = (channel: string, { seq, key, data }: Entry, prevSeq: number) => {
    const merged = seq - prevSeq - 1;
    const extra = merged > 0 ? { merged } : {};
    const rest = { prev_seq: prevSeq, ts: seq, cause: ['clock'], ...extra, key, data };
    return JSON.stringify({ type: 'update', ...place(channel), seq, ...rest });
  };

  function stateOf(channel: string): Map<string, Entry> {
    return new Map(logOf(channel).map((entry) => [entry.key, entry]));
  }

  function sendRest(peer: Peer, channel: string): void {
    const from = peer.sent.get(channel);
    if (from === undefined || peer.isStalled) return;
    let entries = logOf(channel).filter(({ seq }) => seq > from);
    if (channel === 'counters') {
      const newest = new Set(stateOf(channel).values());
      entries = entries.filter((entry) => newest.has(entry));
    }
    for (const entry of entries) {
      peer.socket.push(updateText(channel, entry, peer.sent.get(channel) ?? 0));
      peer.sent.set(channel, entry.seq);
    }
  }

  function sendNew(channel: string): void {
    for (const peer of peers) sendRest(peer, channel);
  }

  function subscribe(peer: Peer, id: unknown, channel: string, resume: Cursor | undefined): void {
    const seq = logOf(channel).at(-1)?.seq ?? 0;
    const isResumed = resume?.epoch === `e${epoch}` && resume.seq <= seq && resume.seq >= floor;
    const { socket } = peer;
    const channels = [{ channel, account: ACCOUNT, seq, resumed: isResumed }];
    socket.push(JSON.stringify({ type: 'subscribed', id, epoch: `e${epoch}`, channels }));
    if (isResumed) {
      peer.sent.set(channel, resume.seq);
      sendRest(peer, channel);
      return;
    }
    if (resume !== undefined) {
      const at = { channel, account: ACCOUNT, oldest_seq: floor };
      socket.push(JSON.stringify({ type: 'error', id, code: 'cursor_too_old', detail: '', ...at }));
    }
    const data = Array.from(stateOf(channel).values(), (entry) => entry.data);
    const rest = { seq, prev_seq: null, ts: seq, cause: [], data: channel === 'tweets' ? [] : data };
    socket.push(JSON.stringify({ type: 'snapshot', ...place(channel), ...rest }));
    peer.sent.set(channel, seq);
  }

  function onMessage(peer: Peer, text: string): void {
    const message = JSON.parse(text) as ClientMessage;
    const id = message.id ?? null;
    if (message.op === 'ping') {
      peer.socket.push(JSON.stringify({ type: 'pong', id, ts: now, pipeline_ts: now }));
    }
    if (message.op === 'unsubscribe') {
      for (const { channel } of message.channels) peer.sent.delete(channel);
      peer.socket.push(JSON.stringify({ type: 'unsubscribed', id, channels: [] }));
    }
    if (message.op !== 'subscribe') return;
    for (const { channel, resume } of message.channels) {
      if (channel !== 'heartbeat') subscribe(peer, id, channel, resume);
    }
  }

  class Socket extends ModelSocket {
    constructor() {
      super((text) => onMessage(peer, text));
      const peer: Peer = { socket: this, sent: new Map(), isStalled: false };
      connects += 1;
      queueMicrotask(() => {
        if (this.isDead) return;
        peers.add(peer);
        this.emit('onopen', {});
      });
    }
  }

  function append(channel: string, key: string, data: (seq: number) => object): Entry {
    const log = logOf(channel);
    const seq = (log.at(-1)?.seq ?? floor) + 1;
    const entry = { seq, key, data: data(seq) };
    log.push(entry);
    if (channel === 'tweets') texts.push(updateText(channel, entry, seq - 1));
    return entry;
  }

  const postOf = (seq: number) => ({ tweet_id: `${epoch}-${seq}`, created_ts: seq });

  return {
    Socket,
    post() {
      append('tweets', `p${texts.length}`, postOf);
      sendNew('tweets');
    },
    change(key) {
      append('counters', key, (seq) => ({ event_id: key, value: seq }));
      sendNew('counters');
    },
    beat() {
      now += 1_000;
      const seqs = Object.fromEntries(
        Array.from(logs, ([channel, log]) => [`${channel}/${ACCOUNT}`, log.at(-1)?.seq ?? 0]),
      );
      const beat = {
        type: 'heartbeat',
        channel: 'heartbeat',
        epoch: `e${epoch}`,
        ts: now,
        seqs,
        ages_ms: {},
      };
      for (const { socket, isStalled } of peers) if (!isStalled) socket.push(JSON.stringify(beat));
    },
    cut(lost) {
      for (const { socket } of peers) {
        while (socket.queue.length > lost) socket.deliver();
        socket.die();
      }
      peers.clear();
    },
    stall() {
      for (const peer of peers) peer.isStalled = true;
    },
    wake() {
      for (const peer of peers) {
        peer.isStalled = false;
        for (const channel of logs.keys()) sendRest(peer, channel);
      }
    },
    repeat(count) {
      for (const { socket, sent, isStalled } of peers) {
        if (isStalled) continue;
        for (const entry of logOf('tweets').slice(-count)) {
          if (entry.seq <= (sent.get('tweets') ?? 0)) socket.push(updateText('tweets', entry, entry.seq - 1));
        }
      }
    },
    skip() {
      const { seq } = append('tweets', `p${texts.length}`, postOf);
      for (const { sent } of peers) if (sent.get('tweets') === seq - 1) sent.set('tweets', seq);
    },
    renumber() {
      this.cut(0);
      epoch += 1;
      floor = 0;
      for (const log of logs.values()) log.length = 0;
    },
    forget() {
      floor = Math.max(...Array.from(logs.values(), (log) => log.at(-1)?.seq ?? 0));
    },
    log: texts,
    state: () =>
      Object.fromEntries(
        Array.from(stateOf('counters'), ([key, { data }]) => [key, Reflect.get(data, 'value')]),
      ),
    get connects() {
      return connects;
    },
    settle: () => delay(0),
  };
}
