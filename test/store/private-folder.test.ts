import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { keepPrivate, privacyText } from '../../src/store/private-folder.ts';
import { withFolder } from '../support/store-records.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Everything under a folder that others have a right to. */
function openToOthers(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return ['.', ...names].filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
}

describe('keepPrivate', () => {
  it('takes all rights of others, and none of ours', () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      for (const path of ['db', 'db.old', 'backups/monday/db'])
        mkdirSync(join(data, path), { recursive: true });
      for (const path of ['db/data.mdb', 'db.old/data.mdb', 'backups/monday/db/data.mdb', 'run.sh']) {
        writeFileSync(join(data, path), '');
        chmodSync(join(data, path), 0o775);
      }
      chmodSync(data, 0o755);
      assert.equal(keepPrivate(data), 'made private');
      assert.deepEqual(openToOthers(data), []);
      assert.deepEqual([modeOf(data), modeOf(join(data, 'run.sh'))], ['700', '700']);
      assert.equal(keepPrivate(data), 'private');
    }));

  it('leaves folders of others and what links lead to', () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      mkdirSync(join(data, 'theirs'), { recursive: true });
      for (const path of [join(folder, 'far'), join(data, 'theirs', 'file')]) {
        writeFileSync(path, '');
        chmodSync(path, 0o644);
      }
      symlinkSync(join(folder, 'far'), join(data, 'link'));
      keepPrivate(data);
      assert.deepEqual([modeOf(join(folder, 'far')), modeOf(join(data, 'theirs', 'file'))], ['644', '644']);
    }));

  it('has something to say unless all was well', () => {
    assert.equal(privacyText('private'), undefined);
    for (const privacy of ['made private', 'open to others'] as const) assert.ok(privacyText(privacy));
  });

  for (const mask of [0, 0o022, 0o077]) {
    it(`is so for all that a store makes, under the mask ${mask.toString(8).padStart(3, '0')}`, () =>
      withFolder(async (folder) => {
        const data = join(folder, 'data');
        const usual = process.umask(mask);
        try {
          const lock = await lockFolder(data);
          const store = await openStore(data);
          await store.notes.set('a', 'b');
          await store.backup(join(data, 'backups', 'monday'));
          await store.backup(join(folder, 'elsewhere'));
          assert.deepEqual(openToOthers(data), []);
          assert.deepEqual(openToOthers(join(folder, 'elsewhere')), []);
          const reader = await openStore(join(folder, 'elsewhere'), { readOnly: true });
          assert.deepEqual(openToOthers(join(folder, 'elsewhere')), []);
          await reader.close();
          await store.close();
          await lock.release();
          assert.equal(modeOf(join(data, 'db', 'data.mdb')), '600');
        } finally {
          process.umask(usual);
        }
      }));
  }
});
