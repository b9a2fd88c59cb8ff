import { unpackRows } from '../../../src/store/lmdb/frame-packs.ts';
import type { FeedRow, FeedTopic, StoredFrames } from '../../../src/store/store.ts';

export function createMemoryFrames(): StoredFrames {
  let rows: readonly FeedRow[] = [];
  let head: ReturnType<StoredFrames['head']>;
  const topics = new Map<string, FeedTopic>();
  return {
    head: () => head,
    topics: () => [...topics.values()],
    async append({ epoch, upTo, rows: added, topics: moved }) {
      rows = [...rows, ...added];
      for (const topic of moved) topics.set(topic.topic, topic);
      head = { epoch, upTo };
    },
    oldest: (topic) => rows.find((row) => row.topic === topic)?.seq,
    // Nothing is gained by it in memory.
    async pack() {},
    packs: () => [],
    async addPacks(packs) {
      const added = packs.flatMap(({ topic, bytes }) => unpackRows(topic, Buffer.from(bytes)));
      rows = [...added, ...rows];
    },
    read: (topic, seq, limit) => rows.filter((row) => row.topic === topic && row.seq > seq).slice(0, limit),
    async prune(beforeAt, maxRows) {
      const stale = new Set(rows.filter(({ at }) => at < beforeAt).slice(0, maxRows));
      rows = rows.filter((row) => !stale.has(row));
      return stale.size;
    },
  };
}
