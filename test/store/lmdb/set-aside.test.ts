import assert from 'node:assert/strict';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { setStoreAside } from '../../../src/store/lmdb/set-aside.ts';

describe('setStoreAside', () => {
  it('leaves an empty store, and keeps the other one whole beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tallywire-aside-'));
    try {
      const store = await openStore(folder);
      await store.journal.append([{ seq: 1, receivedAt: 5, fact: { kind: 'tick', ages: {} } }]);
      await store.close();
      const name = await setStoreAside(folder);
      assert.match(name, /^db\.diverged-2/);
      assert.ok((await readdir(folder)).includes(name));
      const empty = await openStore(folder);
      assert.equal(empty.journal.head, 0);
      await empty.close();
      await rm(join(folder, 'db'), { recursive: true });
      await rename(join(folder, name), join(folder, 'db'));
      const again = await openStore(folder);
      assert.equal(again.journal.head, 1);
      await again.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
