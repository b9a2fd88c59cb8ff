import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, crc32 } from 'node:zlib';
import type { Key } from 'lmdb';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import type { StoreNews } from '../../../src/store/lmdb/store-news.ts';
import { changeRows, KEY } from '../../support/data-folder.ts';
import { tickAt, ticks, velocityAt, withFolder } from '../../support/store-records.ts';

const STATE = brotliCompressSync('state');

/** Writes the rows as the layout before ours had them. */
async function makeStoreBefore(folder: string): Promise<void> {
  const checked = (value: unknown, seed: number) => {
    const text = JSON.stringify(value);
    return `${crc32(text, seed)} ${text}`;
  };
  mkdirSync(join(folder, 'db'));
  await changeRows(folder, (database) => {
    const put = (name: string, key: Key, value: string | Buffer) => database(name).putSync(key, value);
    for (const seq of [1, 11, 21]) {
      const text = JSON.stringify(ticks(seq, 10).map(({ receivedAt, fact }) => [receivedAt, fact]));
      put('journal', seq, crc32(text, seq).toString(16).padStart(8, '0') + text);
    }
    for (let seq = 1; seq <= 30; seq++) put('history.velocity', [seq, 0], JSON.stringify(velocityAt(seq)));
    put('latest', ['velocity', 'a'], JSON.stringify(velocityAt(30)));
    put('checkpoints', 20, JSON.stringify({ seq: 20, at: 5, graphVersion: 7, parts: 1, crc: crc32(STATE) }));
    put('states', [20, 0], STATE);
    put('notes', 'world', 'w');
    put('keys', 'k', JSON.stringify(KEY));
    put('waitlist', 1, checked([9, 'human', 'watch', null, null, 'a@example.test'], 1));
    put('waitlistIndex', 'email a@example.test', '1');
    put('meta', 'upTo', '30');
    put('meta', 'layout', '3');
  });
}

describe('a store of the layout before', () => {
  it('is turned into ours when a writer opens it, tells so, and is kept', () =>
    withFolder(async (folder) => {
      await makeStoreBefore(folder);
      await assert.rejects(openStore(folder, { readOnly: true }), {
        code: 'STORE_LAYOUT',
        message: /layout 3, expected layout 4: start the service on it once/,
      });

      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([...store.journal.read(1)], ticks(1, 30));
      assert.equal(store.outputs.upTo, 30);
      assert.deepEqual(store.outputs.latest('velocity'), [velocityAt(30)]);
      assert.deepEqual(
        Array.from(store.outputs.read('velocity', 1), ({ json }) => json),
        Array.from({ length: 30 }, (_, index) => JSON.stringify(velocityAt(index + 1))),
      );
      assert.equal(store.checkpoints.newest(7)?.state, 'state');
      assert.deepEqual([store.notes.get('world'), store.notes.get('repair')], ['w', undefined]);
      assert.deepEqual(store.keys.all(), [KEY]);
      assert.equal([...store.waitlist.list()][0]?.email, 'a@example.test');
      await store.journal.append([tickAt(31)]);
      await store.outputs.append([velocityAt(31)], 31);
      await store.close();

      // A slow machine tells in between how far it is.
      assert.deepEqual(
        news.filter(({ message }) => !message.startsWith('still ')).map(({ level }) => level),
        ['info', 'info'],
      );
      assert.ok(existsSync(join(folder, 'db.layout-3', 'data.mdb')), readdirSync(folder).join());
      const again = await openStore(folder, { readOnly: true });
      assert.equal(again.journal.head, 31);
      await again.close();
    }));
});
