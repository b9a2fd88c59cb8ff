import { unpackRows } from '../../../src/store/lmdb/frame-packs.ts';
import type { FeedRow, FeedTopic, StoredFrames } from '../../../src/store/store.ts';
import { firstAtLeast } from './first-at-least.ts';

export function createMemoryFrames(): StoredFrames {
  const rowsOf = new Map<string, FeedRow[]>();
  let head: ReturnType<StoredFrames['head']>;
  const topics = new Map<string, FeedTopic>();
  return {
    head: () => head,
    topics: () => [...topics.values()],
    async append({ epoch, upTo, rows, topics: moved }) {
      for (const row of rows) {
        const kept = rowsOf.get(row.topic);
        if (kept === undefined) rowsOf.set(row.topic, [row]);
        else kept.push(row);
      }
      for (const topic of moved) topics.set(topic.topic, topic);
      head = { epoch, upTo };
    },
    oldest: (topic) => rowsOf.get(topic)?.[0]?.seq,
    // Nothing is gained by it in memory.
    async pack() {},
    packs: () => [],
    async addPacks(packs) {
      for (const { topic, bytes } of packs.toReversed())
        rowsOf.set(topic, [...unpackRows(topic, Buffer.from(bytes)), ...(rowsOf.get(topic) ?? [])]);
    },
    read(topic, seq, limit) {
      const rows = rowsOf.get(topic) ?? [];
      const first = firstAtLeast(rows, seq + 1, (row) => row.seq);
      return rows.slice(first, first + limit);
    },
    async prune(beforeAt, maxRows) {
      let dropped = 0;
      for (const rows of rowsOf.values()) {
        const young = rows.findIndex(({ at }) => at >= beforeAt);
        const stale = Math.min(young < 0 ? rows.length : young, maxRows - dropped);
        rows.splice(0, stale);
        dropped += stale;
      }
      return dropped;
    },
  };
}
