import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { placeReaderTable } from '../../../src/store/lmdb/reader-table.ts';
import {
  finishReplacement,
  removeEnvironment,
  replaceEnvironment,
} from '../../../src/store/lmdb/replace-environment.ts';
import { withFolder } from '../../support/store-records.ts';

/** A stand-in for an environment: what matters here is which one lies where. */
function put(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'data.mdb'), text);
}

const build = (text: string) => async (path: string) => writeFileSync(join(path, 'data.mdb'), text);
const contentOf = (folder: string, name = 'db') => readFileSync(join(folder, name, 'data.mdb'), 'utf8');

describe('replaceEnvironment', () => {
  it('puts a new environment in place of the old one, which it keeps', () =>
    withFolder(async (folder) => {
      put(folder, 'db', 'old');
      await replaceEnvironment(folder, 'db.old', build('new'));
      assert.deepEqual([contentOf(folder), contentOf(folder, 'db.old')], ['new', 'old']);
      assert.deepEqual(readdirSync(folder).sort(), ['db', 'db.old']);
      assert.deepEqual(readdirSync(join(folder, 'db')), ['data.mdb']);
    }));

  it('puts one where there was none', () =>
    withFolder(async (folder) => {
      await replaceEnvironment(folder, 'db.old', build('new'));
      assert.deepEqual([contentOf(folder), readdirSync(folder)], ['new', ['db']]);
      assert.equal(statSync(join(folder, 'db')).mode & 0o777, 0o700);
    }));

  it('keeps every old one, also under a name that is taken', () =>
    withFolder(async (folder) => {
      put(folder, 'db', 'first');
      await replaceEnvironment(folder, 'db.old', build('second'));
      await replaceEnvironment(folder, 'db.old', build('third'));
      const texts = ['db', 'db.old', 'db.old-2'].map((name) => contentOf(folder, name));
      assert.deepEqual(texts, ['third', 'first', 'second']);
    }));

  it('leaves everything as it was when the new one cannot be built', () =>
    withFolder(async (folder) => {
      put(folder, 'db', 'old');
      const failing = async (path: string) => {
        await build('half')(path);
        throw new Error('no space');
      };
      await assert.rejects(replaceEnvironment(folder, 'db.old', failing), { message: 'no space' });
      assert.deepEqual([contentOf(folder), readdirSync(folder)], ['old', ['db']]);
    }));

  it('builds each one under another name', () =>
    withFolder(async (folder) => {
      const paths = new Set<string>();
      for (let round = 1; round <= 3; round++) {
        await replaceEnvironment(folder, 'db.old', async (path) => {
          paths.add(path);
          await build('new')(path);
        });
      }
      assert.equal(paths.size, 3);
    }));

  it('refuses a name that would not lie beside the store', () =>
    withFolder(async (folder) => {
      for (const name of ['db', '../db.old', 'db.a/b', 'old', 'db.next-old']) {
        await assert.rejects(replaceEnvironment(folder, name, build('new')), RangeError);
      }
    }));
});

describe('finishReplacement', () => {
  it('removes what was built half', () =>
    withFolder(async (folder) => {
      put(folder, 'db', 'old');
      put(folder, 'db.next-1', 'half');
      writeFileSync(join(folder, 'db.next-1', 'complete.part'), 'db.old');
      put(folder, 'db.next-1.beside', 'of use to whoever built it');
      finishReplacement(folder);
      assert.deepEqual([contentOf(folder), readdirSync(folder)], ['old', ['db']]);
    }));

  it('removes the table of readers of what was built half, and of what is moved aside', function () {
    if (!existsSync('/dev/shm')) return this.skip();
    return withFolder(async (folder) => {
      const tables: string[] = [];
      for (const name of ['db', 'db.next-1', 'db.next-2']) {
        put(folder, name, name);
        await placeReaderTable(join(folder, name), async () => false);
        tables.push(readlinkSync(join(folder, name, 'lock.mdb')));
      }
      writeFileSync(join(folder, 'db.next-2', 'complete'), 'db.old');
      assert.deepEqual(tables.map(existsSync), [true, true, true]);
      finishReplacement(folder);
      assert.deepEqual(tables.map(existsSync), [false, false, true]);
      removeEnvironment(join(folder, 'db'));
      assert.deepEqual([tables.some(existsSync), readdirSync(folder)], [false, ['db.old']]);
    });
  });

  it('completes a swap from each point where it can be cut, any number of times', () =>
    withFolder(async (folder) => {
      const cuts = {
        'before the old one moved': { db: 'old', 'db.next-1': 'new' },
        'between the two moves': { 'db.old': 'old', 'db.next-1': 'new' },
      };
      for (const [cut, entries] of Object.entries(cuts)) {
        const data = join(folder, cut);
        mkdirSync(data);
        for (const [name, text] of Object.entries(entries)) put(data, name, text);
        writeFileSync(join(data, 'db.next-1', 'complete'), 'db.old');
        finishReplacement(data);
        finishReplacement(data);
        assert.deepEqual([contentOf(data), contentOf(data, 'db.old')], ['new', 'old'], cut);
        assert.deepEqual(readdirSync(data).sort(), ['db', 'db.old'], cut);
        assert.ok(!existsSync(join(data, 'db', 'complete')), cut);
      }
    }));

  it('keeps the old one also when the name for it was lost', () =>
    withFolder(async (folder) => {
      put(folder, 'db', 'old');
      put(folder, 'db.next-1', 'new');
      writeFileSync(join(folder, 'db.next-1', 'complete'), '../elsewhere');
      finishReplacement(folder);
      assert.deepEqual([contentOf(folder), contentOf(folder, 'db.replaced')], ['new', 'old']);
    }));

  it('does nothing where nothing was begun, even where there is no folder', () =>
    withFolder(async (folder) => {
      finishReplacement(join(folder, 'none'));
      assert.deepEqual(readdirSync(folder), []);
      put(folder, 'db', 'old');
      finishReplacement(folder);
      assert.deepEqual([contentOf(folder), readdirSync(folder)], ['old', ['db']]);
    }));

  it('says so when it cannot, and moves nothing', () =>
    withFolder(async (folder) => {
      put(folder, 'db.next-1', 'new');
      mkdirSync(join(folder, 'db.next-1', 'complete'));
      put(folder, 'db', 'old');
      assert.throws(() => finishReplacement(folder), { code: 'STORE_UNWRITABLE' });
      assert.equal(contentOf(folder), 'old');
    }));
});
