import assert from 'node:assert/strict';
import { loadSnapshot } from '../../../src/cluster/edge/load-snapshot.ts';
import { openShardCache } from '../../../src/cluster/edge/shard-cache.ts';
import { takeSnapshot } from '../../../src/cluster/engine/take-snapshot.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import type { FeedRow, Store } from '../../../src/store/store.ts';
import { eventOutput, freshnessOutput, NOON, postOutput } from '../../support/outputs.ts';
import { withFolder } from '../../support/store-records.ts';

const EPOCH = 'of-the-cluster';
const rowOf = (seq: number): FeedRow => ({
  topic: 'test',
  seq,
  at: NOON + seq,
  text: `["test",[],false]\n${seq}`,
});

async function snapshotOf(folder: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const passing = [JSON.stringify(freshnessOutput({ 'posts:a': 7 }, { seq: 9 }))];
  const job = { folder, epoch: EPOCH, accounts: ['a'], passing };
  for await (const chunk of takeSnapshot(job)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Events, more posts than an edge gets, and frames of which most are packed. */
async function fill({ outputs, feed }: Store): Promise<void> {
  await outputs.append([eventOutput({ title: 'before' }, { seq: 1 })], 1);
  const posts = Array.from({ length: 1_010 }, (_, index) =>
    postOutput({ id: String(10_000 + index), createdAt: NOON + index * 1_000 }, { seq: 2 + index }),
  );
  await outputs.append(posts, 1_011);
  await outputs.append([eventOutput({ title: 'after' }, { seq: 1_012 })], 1_015);
  const rows = Array.from({ length: 300 }, (_, index) => rowOf(index + 1));
  await feed.append({
    epoch: EPOCH,
    upTo: 1_015,
    rows,
    topics: [{ topic: 'test', seq: 300, keys: ['test'] }],
  });
  await feed.pack('test');
}

describe('a snapshot', () => {
  it('gives an edge the latest values, the newest posts and all frames of the engine', () =>
    withFolder(async (engineFolder) => {
      const engine = await openStore(engineFolder);
      await engine.outputs.prepare();
      await fill(engine);
      // The engine has the store open, and goes on.
      const bytes = await snapshotOf(engineFolder);
      await withFolder(async (edgeFolder) => {
        const store = await openStore(edgeFolder);
        await store.outputs.prepare();
        await loadSnapshot(store, { place: 77, bytes }, EPOCH);
        const cache = await openShardCache({
          store,
          epoch: EPOCH,
          mono: () => 0,
          report: (error) => assert.fail(String(error)),
        });
        const { latest } = cache;
        assert.deepEqual([cache.place, store.outputs.upTo, cache.framesUpTo()], [77, 1_015, 1_015]);
        assert.deepEqual(store.outputs.latest('events'), engine.outputs.latest('events'));
        assert.deepEqual(
          [...latest.posts('a')],
          [...engine.outputs.timeline('a')]
            .slice(0, 1_000)
            .map(({ key }) => engine.outputs.get('posts', key)),
        );
        assert.deepEqual(latest.freshness()?.record.ages, { 'posts:a': 7 });
        assert.deepEqual(store.feed.topics(), engine.feed.topics());
        assert.deepEqual(store.feed.read('test', 0, 1_000), engine.feed.read('test', 0, 1_000));
        assert.equal(store.feed.oldest('test'), 1);
        await cache.close();
      });
      await engine.close();
    })).timeout(60_000);

  it('of another cluster is refused', () =>
    withFolder(async (engineFolder) => {
      const engine = await openStore(engineFolder);
      const bytes = await snapshotOf(engineFolder);
      await engine.close();
      await withFolder(async (edgeFolder) => {
        const store = await openStore(edgeFolder);
        await assert.rejects(loadSnapshot(store, { place: 7, bytes }, 'another'), {
          code: 'BUS_OTHER_CLUSTER',
        });
        await store.close();
      });
    })).timeout(60_000);

  it('that could not be made is not taken for one', () =>
    withFolder((folder) => assert.rejects(snapshotOf(folder), /a snapshot could not be made/))).timeout(
    60_000,
  );
});
