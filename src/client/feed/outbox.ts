import type { ChannelRequest, ClientMessage } from '../wire.ts';

/** The server takes ten messages at once and five a second after that; some are left for pings. */
const BURST = 8;
const PER_SECOND = 4;
/** Channels in one message, which may have 4 KiB: each has a name of up to 64 characters and a cursor. */
const MOST_CHANNELS = 16;

/** Sends what is asked of the server no faster than it listens, and knows which answer is to which question. */
export interface Outbox {
  auth(key: string): void;
  /** Each of `requests` goes by its name. */
  subscribe(requests: ReadonlyMap<string, ChannelRequest>): void;
  unsubscribe(requests: readonly ChannelRequest[]): void;
  /** Not sent while others wait. */
  ping(): void;
  /** What was asked under this id, by name; without one what was asked first of all that is not answered. */
  answered(id: string | number | null): readonly string[];
  /** For another connection: nothing is sent, nothing awaited. */
  clear(): void;
}

export function createOutbox(send: (text: string) => void, now: () => number): Outbox {
  let nextId = 1;
  let tokens = BURST;
  let tokensAt = now();
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** In the order they were asked in. */
  const unanswered = new Map<number, readonly string[]>();

  function take(): boolean {
    const at = now();
    tokens = Math.min(BURST, tokens + ((at - tokensAt) * PER_SECOND) / 1_000);
    tokensAt = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) {
      if (!take()) {
        timer = setTimeout(flush, 1_000 / PER_SECOND);
        return;
      }
      send(waiting.shift() ?? '');
    }
  }

  function post(message: ClientMessage, names: readonly string[]): void {
    const id = nextId++;
    unanswered.set(id, names);
    waiting.push(JSON.stringify({ ...message, id }));
    if (timer === undefined) flush();
  }

  return {
    auth: (key) => post({ op: 'auth', key }, []),
    subscribe(requests) {
      const all = [...requests];
      for (let start = 0; start < all.length; start += MOST_CHANNELS) {
        const some = all.slice(start, start + MOST_CHANNELS);
        const channels = some.map(([, request]) => request);
        post(
          { op: 'subscribe', channels },
          some.map(([name]) => name),
        );
      }
    },
    unsubscribe: (channels) => post({ op: 'unsubscribe', channels }, []),
    ping() {
      if (waiting.length === 0) post({ op: 'ping' }, []);
    },
    answered(id) {
      const [first] = unanswered.keys();
      const found = id === null ? first : Number(id);
      if (found === undefined) return [];
      const names = unanswered.get(found) ?? [];
      unanswered.delete(found);
      return names;
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      waiting = [];
      unanswered.clear();
      tokens = BURST;
      tokensAt = now();
    },
  };
}
