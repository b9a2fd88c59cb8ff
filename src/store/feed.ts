import { StoreError } from '../errors.ts';
import type { Environment } from './environment.ts';
import type { FeedRow, FeedTopic, FeedWindow } from './store.ts';

/** The row of `feedTopics` that is about all of them. No topic is called so. */
const HEAD = 'head';

type PackedTopic = [seq: number, floor: number, keys: FeedTopic['keys'], gone: FeedTopic['gone']];

/** Rows are `<at> <text>` under topic and seq. */
function unpack(topic: string, seq: number, value: string): FeedRow {
  const space = value.indexOf(' ');
  return { topic, seq, at: Number(value.slice(0, space)), text: value.slice(space + 1) };
}

function parse<T>(text: string, what: string): T {
  try {
    // Written by `append` and by nobody else.
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `${what} of the feed is not readable`, { cause });
  }
}

export function openFeedWindow({ durable, root, feed, feedTopics, fileId }: Environment): FeedWindow {
  const names = () => Array.from(feedTopics.getKeys()).filter((name) => name !== HEAD);

  return {
    head() {
      const text = feedTopics.get(HEAD);
      if (text === undefined) return undefined;
      const [epoch, upTo, file] = parse<[string, number, number]>(text, 'the head');
      return { epoch: file === fileId ? epoch : undefined, upTo };
    },

    topics: () =>
      names().map((topic) => {
        const packed = parse<PackedTopic>(feedTopics.get(topic) ?? '', `the topic ${topic}`);
        const [seq, floor, keys, gone] = packed;
        return { topic, seq, floor, keys, gone };
      }),

    async append({ epoch, upTo, rows, topics }) {
      const write = root.batch(() => {
        for (const { topic, seq, at, text } of rows) void feed.put([topic, seq], `${at} ${text}`);
        for (const { topic, seq, floor, keys, gone } of topics) {
          const packed: PackedTopic = [seq, floor, keys, gone];
          void feedTopics.put(topic, JSON.stringify(packed));
        }
        void feedTopics.put(HEAD, JSON.stringify([epoch, upTo, fileId]));
      });
      await durable(write, `the feed up to seq ${upTo}`);
    },

    read(topic, seq, limit) {
      const range = feed.getRange({ start: [topic, seq + 1], end: [topic, Number.MAX_SAFE_INTEGER], limit });
      return Array.from(range, ({ key, value }) => unpack(topic, key[1], value));
    },

    async prune(beforeAt, maxRows) {
      const stale: [string, number][] = [];
      for (const topic of names()) {
        for (const { seq, at } of this.read(topic, 0, maxRows - stale.length)) {
          if (at >= beforeAt) break;
          stale.push([topic, seq]);
        }
        if (stale.length >= maxRows) break;
      }
      if (stale.length === 0) return 0;
      const removal = root.batch(() => {
        for (const key of stale) void feed.remove(key);
      });
      await durable(removal, 'the pruned feed');
      return stale.length;
    },
  };
}
