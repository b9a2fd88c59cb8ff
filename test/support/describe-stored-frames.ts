import assert from 'node:assert/strict';
import type { FeedRow, Store } from '../../src/store/store.ts';

type WithStore = (use: (store: Store) => Promise<void>) => Promise<void>;

const row = (topic: string, seq: number, at = seq): FeedRow => ({
  topic,
  seq,
  at,
  text: `${topic} ü ${seq}\nx`,
});
const topic = (name: string, seq: number) => ({ topic: name, seq, keys: ['7'] });

/** What the window of the feed of every Store does. */
export function describeStoredFrames(withStore: WithStore): void {
  describe('feed', () => {
    it('begins empty', () =>
      withStore(async ({ feed }) => {
        assert.deepEqual([feed.head(), feed.topics(), feed.read('t', 0, 9)], [undefined, [], []]);
        assert.equal(await feed.prune(1, 9), 0);
        assert.equal(feed.oldest('t'), undefined);
        await feed.pack('t');
      }));

    it('reads the rows of a topic after a seq in order, and the position of every topic', () =>
      withStore(async ({ feed }) => {
        const rows = [row('t', 1), row('t/a', 1), row('t', 2), row('t', 10), row('u', 1)];
        await feed.append({ epoch: 'e', upTo: 4, rows, topics: [topic('t', 10), topic('u', 1)] });
        await feed.append({ epoch: 'e', upTo: 9, rows: [row('t', 11)], topics: [topic('t', 11)] });
        assert.deepEqual(feed.head(), { epoch: 'e', upTo: 9 });
        assert.deepEqual(
          [...feed.topics()].sort((a, b) => (a.topic < b.topic ? -1 : 1)),
          [topic('t', 11), topic('u', 1)],
        );
        assert.deepEqual(feed.read('t', 1, 2), [row('t', 2), row('t', 10)]);
        assert.deepEqual(feed.read('t/a', 0, 9), [row('t/a', 1)]);
        assert.deepEqual(feed.read('t', 11, 9), []);
      }));

    it('drops the oldest rows in steps and nothing else', () =>
      withStore(async ({ feed }) => {
        const rows = [1, 2, 3, 4].map((seq) => row('t', seq, seq * 10));
        assert.equal(feed.oldest('t'), undefined);
        await feed.append({ epoch: 'e', upTo: 4, rows, topics: [topic('t', 4)] });
        assert.equal(feed.oldest('t'), 1);
        assert.equal(await feed.prune(35, 2), 2);
        assert.equal(feed.oldest('t'), 3);
        assert.equal(await feed.prune(35, 2), 1);
        assert.equal(await feed.prune(35, 2), 0);
        assert.deepEqual(feed.read('t', 0, 9), rows.slice(3));
        assert.deepEqual(feed.topics(), [topic('t', 4)]);
        assert.equal(feed.oldest('t'), 4);
      }));

    it('reads the same from anywhere once older rows are packed, and drops those too', () =>
      withStore(async ({ feed }) => {
        const rows = Array.from({ length: 300 }, (_, index) => row('t', 2 * index + 5, index));
        const others = [row('s', 1), row('t/a', 9)];
        await feed.append({ epoch: 'e', upTo: 4, rows: [...rows, ...others], topics: [topic('t', 603)] });
        await feed.pack('t');
        await feed.pack('s');
        assert.equal(feed.oldest('t'), 5);
        for (let seq = 0; seq < 620; seq += 7) {
          for (const limit of [1, 64, 500]) {
            const expected = rows.filter((each) => each.seq > seq).slice(0, limit);
            assert.deepEqual(feed.read('t', seq, limit), expected);
          }
        }
        assert.deepEqual([...feed.read('s', 0, 9), ...feed.read('t/a', 0, 9)], others);
        while ((await feed.prune(299, 9)) > 0);
        assert.deepEqual(feed.read('t', 0, 9), rows.slice(299));
        assert.equal(feed.oldest('t'), 603);
      }));
  });
}
