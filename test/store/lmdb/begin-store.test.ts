import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { makeStore } from '../../support/data-folder.ts';
import { withFolder } from '../../support/store-records.ts';

const gone = { code: 'STORE_MISSING', message: /there was one, as these show: .*start on another folder/ };

describe('beginStore', () => {
  it('begins anew in a folder without a trace of a store', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'notes.txt'), 'mine');
      mkdirSync(join(folder, 'backups'));
      await makeStore(folder);
      assert.deepEqual(readdirSync(folder).sort(), ['backups', 'db', 'db.made', 'notes.txt']);
    }));

  it('never begins anew where a store was, and changes nothing there', () =>
    withFolder(async (folder) => {
      const db = (data: string, name = 'db') => join(data, name);
      const losses: Readonly<Record<string, (data: string) => void>> = {
        'moved aside': (data) => renameSync(db(data), db(data, 'db.broken-1')),
        'removed, remembered by a file': (data) => rmSync(db(data), { recursive: true }),
        'removed, with a backup left': (data) => {
          renameSync(db(data, 'db.made'), db(data, 'made'));
          mkdirSync(join(data, 'backups', 'monday'), { recursive: true });
          renameSync(db(data), join(data, 'backups', 'monday', 'db'));
        },
        'without its file': (data) => rmSync(join(db(data), 'data.mdb')),
        'with an empty file': (data) => truncateSync(join(db(data), 'data.mdb')),
        'a file in its place': (data) => {
          rmSync(db(data), { recursive: true });
          writeFileSync(db(data), 'text');
        },
      };
      for (const [how, lose] of Object.entries(losses)) {
        const data = join(folder, how);
        await makeStore(data);
        lose(data);
        const before = readdirSync(data, { recursive: true });
        await assert.rejects(openStore(data), gone, how);
        await assert.rejects(openStore(data, { readOnly: true }), gone, how);
        assert.deepEqual(readdirSync(data, { recursive: true }), before, how);
      }
    }));

  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: begins nothing on a disk without room, and leaves nothing there', function () {
    return withFolder(async (folder) => {
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
      } catch (error) {
        assert.ok(process.env.CI !== 'true' || process.getuid?.() !== 0, `no small disk: ${error}`);
        this.skip();
      }
      try {
        await assert.rejects(openStore(join(folder, 'data')), { code: 'STORE_FULL' });
        assert.deepEqual(readdirSync(join(folder, 'data')), []);
      } finally {
        execFileSync('umount', [folder]);
      }
    });
  });

  it('goes on with a store that was put back', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      renameSync(join(folder, 'db'), join(folder, 'db.old'));
      await assert.rejects(openStore(folder), gone);
      renameSync(join(folder, 'db.old'), join(folder, 'db'));
      const store = await openStore(folder);
      assert.equal(store.journal.head, 3);
      await store.close();
    }));

  it('remembers a store of a version that left no file for it', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      rmSync(join(folder, 'db.made'));
      await (await openStore(folder)).close();
      assert.ok(readdirSync(folder).includes('db.made'));
    }));
});
