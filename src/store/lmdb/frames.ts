import { createLoopYield } from '../../resilience/loop-yield.ts';
import type { FeedRow, FeedTopic, StoredFrames } from '../store.ts';
import type { Environment } from './environment.ts';
import { headOf, packRows, rowOf, storedText, unpackRows } from './frame-packs.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

/** The row of `feedTopics` that concerns all topics. No topic has this name. */
const HEAD = 'head';
/** This many rows of a topic stay unpacked: most readers that resume were away for less. */
const PACK_ROWS = 64;
/** Unpacked packs kept until the next pruning, for readers that resume together. */
const MAX_OPEN_PACKS = 4;

/** The keys of a topic after a seq. */
function after(topic: string, seq: number, limit: number) {
  const start: [string, number] = [topic, seq + 1];
  const end: [string, number] = [topic, Number.MAX_SAFE_INTEGER];
  return { start, end, limit };
}

export function openStoredFrames(environment: Environment): StoredFrames {
  const { durable, root, feed, feedPacks, feedTopics, fileId } = environment;
  const openPacks = new Map<string, readonly FeedRow[]>();
  /** The seq of the first row of a topic, which every reader that resumes asks for; undefined without a row. */
  const firstSeqs = new Map<string, number | undefined>();
  // Read in order with their keys: a key that damage has moved out of order cannot be looked up.
  const topicRows = () => Array.from(feedTopics.getRange()).filter(({ key }) => key !== HEAD);

  function* rowsAfter(topic: string, seq: number, limit: number): Iterable<FeedRow> {
    for (const { key, value } of feed.getRange(after(topic, seq, limit))) yield rowOf(topic, key[1], value);
  }

  /** The rows of the pack with the first row after `seq`. */
  function packAfter(topic: string, seq: number): readonly FeedRow[] {
    for (const { key, value } of feedPacks.getRange(after(topic, seq, 1))) {
      const name = `${topic} ${key[1]}`;
      const rows = openPacks.get(name) ?? unpackRows(topic, value);
      if (openPacks.size >= MAX_OPEN_PACKS && !openPacks.has(name)) openPacks.clear();
      openPacks.set(name, rows);
      return rows;
    }
    return [];
  }

  function firstSeq(topic: string): number | undefined {
    for (const { value } of feedPacks.getRange(after(topic, 0, 1))) return headOf(value).firstSeq;
    for (const [, seq] of feed.getKeys(after(topic, 0, 1))) return seq;
    return undefined;
  }

  async function packOnce(topic: string): Promise<boolean> {
    const rows = [...rowsAfter(topic, 0, 2 * PACK_ROWS)];
    if (rows.length < 2 * PACK_ROWS) return false;
    const older = rows.slice(0, PACK_ROWS);
    const last = older[PACK_ROWS - 1]?.seq ?? 0;
    const pack = await packRows(older);
    const write = () =>
      root.batch(() => {
        void feedPacks.put([topic, last], pack);
        for (const { seq } of older) void feed.remove([topic, seq]);
      });
    await durable(write, `a pack of the feed's ${topic}`, { rows: PACK_ROWS + 1, bytes: pack.length });
    return true;
  }

  return {
    head() {
      const text = feedTopics.get(HEAD);
      if (text === undefined) return undefined;
      const [epoch, upTo, file] = parseStored<[string, number, number]>(text, 'the head of the feed');
      return { epoch: file === fileId ? epoch : undefined, upTo };
    },

    topics: () =>
      topicRows().map(({ key: topic, value }) => {
        // A row may hold more than what is asked for here.
        const [seq, ...rest] = parseStored<[number, ...unknown[]]>(value, `the topic ${topic} of the feed`);
        const keys = rest.find((part): part is FeedTopic['keys'] => Array.isArray(part)) ?? [];
        return { topic, seq, keys };
      }),

    async append({ epoch, upTo, rows, topics }) {
      const frames = rows.map((row) => [row, storedText(row)] as const);
      const states = topics.map(({ topic, seq, keys }) => [topic, JSON.stringify([seq, keys])] as const);
      const write = () =>
        root.batch(() => {
          for (const [row, text] of frames) void feed.put([row.topic, row.seq], text);
          for (const [topic, text] of states) void feedTopics.put(topic, text);
          void feedTopics.put(HEAD, JSON.stringify([epoch, upTo, fileId]));
        });
      const texts = [...frames, ...states].map(([, text]) => text);
      await durable(write, `the feed up to seq ${upTo}`, sizeOf(texts, 1));
      for (const { topic } of rows) if (firstSeqs.get(topic) === undefined) firstSeqs.delete(topic);
    },

    oldest(topic) {
      if (!firstSeqs.has(topic)) firstSeqs.set(topic, firstSeq(topic));
      return firstSeqs.get(topic);
    },

    read(topic, seq, limit) {
      const found: FeedRow[] = [];
      let last = seq;
      while (found.length < limit) {
        const packed = packAfter(topic, last).filter((row) => row.seq > last);
        if (packed.length === 0) break;
        found.push(...packed.slice(0, limit - found.length));
        last = found.at(-1)?.seq ?? last;
      }
      if (found.length < limit) found.push(...rowsAfter(topic, last, limit - found.length));
      return found;
    },

    async pack(topic) {
      while (await packOnce(topic));
    },

    *packs(topic) {
      for (const { key, value } of feedPacks.getRange(after(topic, 0, Number.MAX_SAFE_INTEGER))) {
        yield { topic, seq: key[1], bytes: value };
      }
    },

    async addPacks(packs) {
      const write = () =>
        root.batch(() => {
          for (const { topic, seq, bytes } of packs) void feedPacks.put([topic, seq], Buffer.from(bytes));
        });
      const bytes = packs.reduce((sum, pack) => sum + pack.bytes.length, 0);
      await durable(write, 'packs of the feed', { rows: packs.length, bytes });
      firstSeqs.clear();
    },

    async prune(beforeAt, maxRows) {
      openPacks.clear();
      const stalePacks: [string, number][] = [];
      const staleRows: [string, number][] = [];
      const room = () => maxRows - stalePacks.length - staleRows.length;
      // With many accounts there are thousands of topics.
      const loop = createLoopYield();
      for (const { key: topic } of topicRows()) {
        for (const { key, value } of feedPacks.getRange(after(topic, 0, room()))) {
          if (headOf(value).lastAt >= beforeAt) break;
          stalePacks.push(key);
        }
        for (const { seq, at } of rowsAfter(topic, 0, room())) {
          if (at >= beforeAt) break;
          staleRows.push([topic, seq]);
        }
        if (room() <= 0) break;
        if (loop.isDue()) await loop.yield();
      }
      const count = stalePacks.length + staleRows.length;
      if (count === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const key of stalePacks) void feedPacks.remove(key);
          for (const key of staleRows) void feed.remove(key);
        });
      await durable(removal, 'the pruned feed', { rows: count, bytes: 0 });
      firstSeqs.clear();
      return count;
    },
  };
}
