import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { withFolder } from '../../support/store-records.ts';

describe('openStoredFrames', () => {
  const batch = { epoch: 'e', upTo: 3, rows: [], topics: [] };

  it('has the same epoch after it was closed and opened', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.feed.append(batch);
      await store.close();
      const again = await openStore(folder);
      assert.deepEqual(again.feed.head(), { epoch: 'e', upTo: 3 });
      await again.close();
    }));

  it('has no epoch in a copy, where numbers go on that mean something else already', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.feed.append(batch);
      const copy = join(folder, 'copy');
      await store.backup(copy);
      await store.close();
      const copied = await openStore(copy);
      assert.deepEqual(copied.feed.head(), { epoch: undefined, upTo: 3 });
      await copied.close();
    }));

  it('finds out a topic whose damaged key can no longer be looked up', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      const topics = ['alpha', 'beta', 'gamma'].map((topic) => ({ topic, seq: 1, keys: [] }));
      await store.feed.append({ ...batch, topics });
      await store.close();
      const file = join(folder, 'db', 'data.mdb');
      writeFileSync(file, readFileSync(file, 'latin1').replaceAll('alpha', 'zlpha'), 'latin1');

      const damaged = await openStore(folder);
      const told: string[] = [];
      damaged.onDamage(({ code }) => told.push(code));
      assert.throws(() => damaged.feed.topics(), { code: 'STORE_CORRUPT' });
      assert.deepEqual(told, ['STORE_CORRUPT']);
      await damaged.close();
    }));
});
