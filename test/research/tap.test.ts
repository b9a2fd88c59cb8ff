import assert from 'node:assert/strict';
import { filterFault, follow, type TapFilter, tapOnce } from '../../src/research/tap.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { computed, keptLines, record, turnsOf, withStore } from './small-log.ts';

/** Follows until `count` lines have come. */
async function take(store: Store, filter: TapFilter, fromSeq: number, count: number): Promise<string[]> {
  const stop = new AbortController();
  const lines: string[] = [];
  for await (const batch of follow(store.outputs, filter, { fromSeq, signal: stop.signal })) {
    lines.push(...batch.split('\n').slice(0, -1));
    if (lines.length >= count) stop.abort();
  }
  return lines;
}

describe('follow', () => {
  it('gives the kept outputs from a seq on', () =>
    withStore(async (store) => {
      await record(store, { seconds: 30 });
      const kept = keptLines(store, 'counters');
      assert.deepEqual(await take(store, { stream: 'counters' }, 0, kept.length), kept);
      const [middle] = [...store.outputs.read('counters', 40)];
      assert.ok(middle);
      const later = kept.slice(kept.indexOf(middle.json));
      assert.deepEqual(await take(store, { stream: 'counters' }, 40, later.length), later);
    }));

  it('sees what another process of the folder writes', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const reader = await openStore(folder, { readOnly: true });
      try {
        const following = take(reader, { stream: 'posts' }, 0, 8);
        for (const { observations, outputs } of [...computed(turnsOf(16))].slice(10)) {
          await store.journal.append(observations);
          await store.outputs.append(outputs, observations.at(-1)?.seq ?? 0);
        }
        assert.deepEqual(await following, keptLines(store, 'posts'));
      } finally {
        await reader.close();
      }
    }));

  it('keeps to one account or event', () =>
    withStore(async (store) => {
      await record(store, { seconds: 30 });
      const posts = keptLines(store, 'posts').filter((line) => JSON.parse(line).record.account === 'b');
      assert.ok(posts.length > 0);
      assert.deepEqual(await take(store, { stream: 'posts', account: 'b' }, 0, posts.length), posts);
      const prices = keptLines(store, 'prices');
      assert.deepEqual(
        await take(store, { stream: 'prices', account: 'a', eventId: 71 }, 0, prices.length),
        prices,
      );
      assert.deepEqual(tapOnce(store.outputs, { stream: 'prices', account: 'b' }), []);
      assert.deepEqual(tapOnce(store.outputs, { stream: 'prices', eventId: 72 }), []);
    }));
});

describe('tapOnce', () => {
  it('gives the latest value of each key, oldest first', () =>
    withStore(async (store) => {
      await record(store, { seconds: 30 });
      const latest = tapOnce(store.outputs, { stream: 'velocity' });
      assert.deepEqual(latest.map(({ key }) => key).sort(), ['a', 'b']);
      for (const output of latest) {
        const last = keptLines(store, 'velocity').findLast((line) => JSON.parse(line).key === output.key);
        assert.equal(JSON.stringify(output), last);
      }
    }));
});

describe('filterFault', () => {
  it('knows which streams have accounts and which have events', () => {
    assert.equal(filterFault({ stream: 'posts', account: 'a' }), undefined);
    assert.equal(filterFault({ stream: 'predictions', account: 'a', eventId: 1 }), undefined);
    assert.match(filterFault({ stream: 'spot', account: 'a' }) ?? '', /^spot has no accounts/);
    assert.match(filterFault({ stream: 'velocity', eventId: 1 }) ?? '', /^velocity has no events/);
  });
});
