import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupsOf } from '../../../src/store/lmdb/backup.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { ticks, velocityAt, withFolder } from '../../support/store-records.ts';

async function appendTurn(store: Store, size: number): Promise<void> {
  const block = ticks(store.journal.head + 1, size);
  await store.journal.append(block);
  await store.outputs.append(
    block.map(({ seq }) => velocityAt(seq, `account ${seq % 50}`)),
    store.journal.head,
  );
}

function contents({ journal, outputs, checkpoints, notes }: Store): unknown {
  return {
    log: [...journal.read(1)],
    history: [...outputs.read('velocity', 0)],
    latest: outputs.latest('velocity'),
    marks: [journal.head, journal.tail, outputs.upTo],
    checkpoint: checkpoints.newest(1),
    note: notes.get('world'),
  };
}

describe('copyEnvironment', () => {
  it('makes a copy that opens and holds everything', () =>
    withFolder(async (folder) => {
      const store = await openStore(join(folder, 'data'));
      for (let turn = 0; turn < 30; turn++) await appendTurn(store, 20);
      await store.journal.prune(100, 3);
      await store.checkpoints.save({ seq: 5, at: 5, graphVersion: 1, state: 'state'.repeat(50_000) });
      await store.notes.set('world', 'w');
      await store.backup(join(folder, 'copy'));
      const expected = contents(store);
      await store.close();

      const copy = await openStore(join(folder, 'copy'));
      assert.deepEqual(contents(copy), expected);
      await appendTurn(copy, 1);
      await copy.close();
    }));

  it('copies one moment while the store is written to', () =>
    withFolder(async (folder) => {
      const store = await openStore(join(folder, 'data'));
      for (let turn = 0; turn < 100; turn++) await appendTurn(store, 50);
      const headBefore = store.journal.head;
      let isCopied = false;
      const backup = store.backup(join(folder, 'copy')).then(() => {
        isCopied = true;
      });
      while (!isCopied) await appendTurn(store, 20);
      await backup;
      assert.ok(store.journal.head > headBefore);
      await store.close();

      const { journal, outputs, close } = await openStore(join(folder, 'copy'));
      assert.ok(journal.head >= headBefore);
      assert.deepEqual([...journal.read(1)], ticks(1, journal.head));
      assert.equal([...outputs.read('velocity', 0)].length, outputs.upTo);
      await close();
    }));

  it('takes the place of a copy that was cut short, which counts as none', () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      const store = await openStore(data);
      await appendTurn(store, 5);
      const copy = join(data, 'backups', 'monday');
      mkdirSync(join(copy, 'db.part-0123456789abcdef'), { recursive: true });
      writeFileSync(join(copy, 'db.part-0123456789abcdef', 'data.mdb'), 'a half');
      assert.deepEqual(backupsOf(data), []);
      await store.backup(copy);
      assert.deepEqual([backupsOf(data)[0]?.path, readdirSync(copy)], [copy, ['db']]);
      await store.close();
    }));

  it('refuses a folder that holds something, and leaves it alone', () =>
    withFolder(async (folder) => {
      const store = await openStore(join(folder, 'data'));
      await assert.rejects(store.backup(join(folder, 'data')), { code: 'STORE_BACKUP' });
      writeFileSync(join(folder, 'file'), '');
      await assert.rejects(store.backup(join(folder, 'file')), { code: 'STORE_BACKUP' });
      assert.deepEqual(readdirSync(folder).sort(), ['data', 'file']);
      await store.close();
      assert.deepEqual(readdirSync(join(folder, 'data')).sort(), ['db', 'db.made']);
    }));
});
