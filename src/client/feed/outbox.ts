import type { ChannelRequest, ClientMessage } from '../wire.ts';

/** The server accepts ten messages at once and then five a second; some are left for pings. */
const BURST = 8;
const PER_SECOND = 4;
/** Channels in one message of at most 4 KiB: each has a name of up to 64 characters and a cursor. */
const MOST_CHANNELS = 16;

/** Sends messages no faster than the server accepts them, and remembers which topics each of them asked for. */
export interface Outbox {
  auth(key: string): void;
  /** Requests by topic name. */
  subscribe(requests: ReadonlyMap<string, ChannelRequest>): void;
  unsubscribe(requests: readonly ChannelRequest[]): void;
  /** Sent only when no other message waits. */
  ping(): void;
  /** Topics of the message with this id, which is now answered; without an id, of the oldest unanswered one. */
  onReply(id: string | number | null): readonly string[];
  /** Drops all messages, for a new connection. */
  clear(): void;
}

export function createOutbox(send: (text: string) => void, now: () => number): Outbox {
  let nextId = 1;
  let tokens = BURST;
  let refilledAt = now();
  let queue: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Topic names by message id, oldest first. */
  const unanswered = new Map<number, readonly string[]>();

  function takeToken(): boolean {
    const at = now();
    tokens = Math.min(BURST, tokens + ((at - refilledAt) * PER_SECOND) / 1_000);
    refilledAt = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    while (queue.length > 0) {
      if (!takeToken()) {
        timer = setTimeout(flush, 1_000 / PER_SECOND);
        return;
      }
      send(queue.shift() ?? '');
    }
  }

  function post(message: ClientMessage, topicNames: readonly string[] = []): void {
    const id = nextId++;
    unanswered.set(id, topicNames);
    queue.push(JSON.stringify({ ...message, id }));
    if (timer === undefined) flush();
  }

  return {
    auth: (key) => post({ op: 'auth', key }),
    subscribe(requests) {
      const names = [...requests.keys()];
      const channels = [...requests.values()];
      for (let start = 0; start < names.length; start += MOST_CHANNELS) {
        const end = start + MOST_CHANNELS;
        post({ op: 'subscribe', channels: channels.slice(start, end) }, names.slice(start, end));
      }
    },
    unsubscribe: (channels) => post({ op: 'unsubscribe', channels }),
    ping() {
      if (queue.length === 0) post({ op: 'ping' });
    },
    onReply(id) {
      const [oldest] = unanswered.keys();
      const answered = id === null ? oldest : Number(id);
      if (answered === undefined) return [];
      const names = unanswered.get(answered) ?? [];
      unanswered.delete(answered);
      return names;
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      queue = [];
      unanswered.clear();
      tokens = BURST;
      refilledAt = now();
    },
  };
}
