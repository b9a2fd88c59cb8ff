import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { changeRows, makeStore } from '../../support/data-folder.ts';
import { describeStore } from '../../support/describe-store.ts';
import { anyBlocks, anyTurns } from '../../support/store-arbitraries.ts';
import { tickAt, ticks, velocityAt, withFolder } from '../../support/store-records.ts';

describeStore('openStore', (use) =>
  withFolder(async (folder) => {
    const store = await openStore(folder);
    try {
      await use(store);
    } finally {
      await store.close();
    }
  }),
);

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('openStore on a folder', () => {
  it('finds everything again after closing', () =>
    fc.assert(
      fc.asyncProperty(anyBlocks, anyTurns, (blocks, turns) =>
        withFolder(async (folder) => {
          const first = await openStore(folder);
          for (const block of blocks) await first.journal.append(block);
          for (const { outputs, upTo } of turns) await first.outputs.append(outputs, upTo);
          await first.checkpoints.save({ seq: 1, at: 2, graphVersion: 3, state: 'state' });
          await first.notes.set('world', 'w');
          const { head, tail } = first.journal;
          const expected = [...first.outputs.read('posts', 0)];
          const latest = first.outputs.latest('posts');
          await first.close();

          const again = await openStore(folder);
          assert.deepEqual([again.journal.head, again.journal.tail], [head, tail]);
          assert.deepEqual([...again.journal.read(1)], blocks.flat());
          assert.equal(again.outputs.upTo, turns.at(-1)?.upTo ?? 0);
          assert.deepEqual([...again.outputs.read('posts', 0)], expected);
          assert.deepEqual(again.outputs.latest('posts'), latest);
          assert.equal(again.checkpoints.newest(3)?.state, 'state');
          assert.equal(again.notes.get('world'), 'w');
          await again.close();
        }),
      ),
      { numRuns: 10 },
    ));

  it('makes folders that do not exist', () =>
    withFolder(async (folder) => {
      const store = await openStore(join(folder, 'deep', 'er'));
      await store.journal.append([tickAt(1)]);
      assert.ok(store.sizeBytes() > 0);
      await store.close();
    }));

  it('refuses another layout and leaves the data as it was', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      await changeRows(folder, (database) => void database('meta').putSync('layout', '99'));
      const data = join(folder, 'db', 'data.mdb');
      const before = [digest(data), readdirSync(folder)];
      await assert.rejects(openStore(folder), { name: 'StoreError', code: 'STORE_LAYOUT' });
      await assert.rejects(openStore(folder, { readOnly: true }), { code: 'STORE_LAYOUT' });
      assert.deepEqual([digest(data), readdirSync(folder)], before);
    }));

  it("refuses a database that is not a store's", () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'db'));
      await changeRows(folder, (database) => void database('meta'));
      await assert.rejects(openStore(folder), { code: 'STORE_LAYOUT', message: /no layout number/ });
      await changeRows(folder, (database) => void database('other').putSync('a', '1'));
      await assert.rejects(openStore(folder), { code: 'STORE_LAYOUT' });
    }));

  it('refuses a path that is a file, or lies below one', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'file');
      writeFileSync(file, 'text');
      await assert.rejects(openStore(file), { code: 'STORE_UNWRITABLE' });
      await assert.rejects(openStore(join(file, 'below')), { code: 'STORE_UNWRITABLE' });
    }));

  it('misses a store when it may only read, and makes nothing', () =>
    withFolder(async (folder) => {
      await assert.rejects(openStore(join(folder, 'none'), { readOnly: true }), { code: 'STORE_MISSING' });
      assert.deepEqual(readdirSync(folder), []);
    }));

  it('writes nothing when it may only read', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      const reader = await openStore(folder, { readOnly: true });
      assert.deepEqual([...reader.journal.read(1)], ticks(1, 3));
      await assert.rejects(reader.journal.append([tickAt(4)]));
      await assert.rejects(reader.notes.set('a', 'b'));
      await reader.close();
    }));

  it('takes one append at a time', () =>
    withFolder(async (folder) => {
      const { journal, outputs, close } = await openStore(folder);
      const appends = [journal.append([tickAt(1)]), journal.append([tickAt(1)])];
      const expected = [outputs.append([velocityAt(1)], 1), outputs.append([velocityAt(1)], 1)];
      const results = await Promise.allSettled([...appends, ...expected]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
      );
      assert.equal(journal.head, 1);
      await close();
    }));

  it('waits for writes in flight when it closes', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      const append = store.journal.append(ticks(1, 100));
      await store.close();
      await append;
      const again = await openStore(folder, { readOnly: true });
      assert.equal(again.journal.head, 100);
      await again.close();
    }));

  it('holds no old pages for a reader that stopped half way', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      const keep = 20_000;
      for (let seq = 1; seq <= keep; seq += 200) await store.journal.append(ticks(seq, 200));
      await store.outputs.append(
        ticks(1, keep).map(({ seq }) => velocityAt(seq)),
        keep,
      );
      const readers = [store.journal.read(1), store.outputs.read('velocity', 1)];
      const halfRead = readers.map((reader) => reader[Symbol.iterator]());
      for (const iterator of halfRead) iterator.next();

      const before = store.sizeBytes();
      const text = 'x'.repeat(200_000);
      for (let rewrite = 0; rewrite < 300; rewrite++) await store.notes.set('big', `${rewrite}${text}`);
      assert.ok(store.sizeBytes() < before + 10 * text.length, `${before} bytes became ${store.sizeBytes()}`);
      for (const iterator of halfRead) assert.equal(iterator.next().value?.seq, 2);
      await store.close();
    }));
});
