import assert from 'node:assert/strict';
import { cpSync, existsSync, lstatSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { extname, join } from 'node:path';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../../src/store/lock.ts';
import { startChild } from '../../support/child.ts';
import { changeRows, leaveDeadSocket, makeStore } from '../../support/data-folder.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { ticks, withFolder } from '../../support/store-records.ts';

const frozenModule = new URL(`./frozen-disk-process${extname(import.meta.url)}`, import.meta.url);
const readerModule = new URL(`./reader-process${extname(import.meta.url)}`, import.meta.url);
const linkIn = (folder: string) => join(folder, 'db', 'lock.mdb');
const isInMemory = existsSync('/dev/shm');

interface Message {
  readonly is: string;
  readonly n: number;
  readonly read: number;
  readonly unfinishedMs: number;
}

describe('placeReaderTable', () => {
  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: lets readers read while the disk is frozen', async function () {
    const disk = mountSmallDisk('ext4', 16);
    if (typeof disk === 'string') return this.skip();
    try {
      const child = startChild(frozenModule, [disk.folder]);
      const heard = (matches: (message: Message) => boolean) =>
        child.firstMessage((message) => matches(message as Message));
      await heard(({ is }) => is === 'open');
      disk.freeze();
      child.process.send('go');
      const far = (await heard(({ is, n }) => is === 'read' && n === 40)) as Message;
      assert.equal(far.read, 500);
      assert.ok(far.unfinishedMs > 0);
      disk.thaw();
      await heard(({ is }) => is === 'closed');
      assert.equal(await child.ended(), 0);
    } finally {
      disk.unmount();
    }
  });

  it('leaves nothing behind after a stop, and is shared by those who read meanwhile', function () {
    if (!isInMemory) return this.skip();
    return withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.journal.append(ticks(1, 3));
      const table = readlinkSync(linkIn(folder));
      assert.equal(statSync(table).mode & 0o777, 0o600);
      const reader = await openStore(folder, { readOnly: true });
      assert.equal(reader.journal.head, 3);
      assert.equal(readlinkSync(linkIn(folder)), table);
      await reader.close();
      await store.close();
      assert.ok(!existsSync(table) && lstatSync(linkIn(folder), { throwIfNoEntry: false }) === undefined);
    });
  });

  it('leaves none for a store that is refused', function () {
    if (!isInMemory) return this.skip();
    return withFolder(async (folder) => {
      await makeStore(folder);
      await changeRows(folder, (database) => void database('meta').putSync('layout', '99'));
      rmSync(linkIn(folder));
      await assert.rejects(openStore(folder), { code: 'STORE_LAYOUT' });
      assert.ok(!lstatSync(linkIn(folder)).isSymbolicLink());
    });
  });

  it('gives a copy of the folder a table of its own', function () {
    if (!isInMemory) return this.skip();
    return withFolder(async (folder) => {
      const [first, second] = [join(folder, 'first'), join(folder, 'second')];
      const store = await openStore(first);
      await store.journal.append(ticks(1, 3));
      cpSync(join(first, 'db'), join(second, 'db'), { recursive: true, verbatimSymlinks: true });
      const table = readlinkSync(linkIn(first));
      assert.equal(readlinkSync(linkIn(second)), table);
      const reader = await openStore(second, { readOnly: true });
      assert.ok(lstatSync(linkIn(second)).isFile());
      assert.equal(reader.journal.head, 3);
      await reader.close();
      const copy = await openStore(second);
      assert.notEqual(readlinkSync(linkIn(second)), table);
      assert.equal(copy.journal.head, 3);
      await copy.close();
      await store.close();
    });
  });

  for (const [where, name] of [
    ['', 'data'],
    [', whatever the length of its path', 'd'.repeat(120)],
  ] as const) {
    it(`refuses to read with another table than the engine that has the folder${where}`, function () {
      if (!isInMemory) return this.skip();
      return withFolder(async (outer) => {
        const folder = join(outer, name);
        const store = await openStore(folder);
        await store.journal.append(ticks(1, 3));
        await store.close();
        symlinkSync('/dev/shm/tallywire-elsewhere/1-2-3', linkIn(folder));
        const lock = await lockFolder(folder);
        await assert.rejects(openStore(folder, { readOnly: true }), { code: 'STORE_ELSEWHERE' });
        await lock.release();
        await leaveDeadSocket(folder, 'engine-1-ab.sock');
        const reader = await openStore(folder, { readOnly: true });
        assert.equal(reader.journal.head, 3);
        await reader.close();
      });
    });
  }

  it('replaces the plain file of a reader, unless another process still reads', function () {
    if (!isInMemory) return this.skip();
    return withFolder(async (folder) => {
      const first = await openStore(folder);
      await first.journal.append(ticks(1, 3));
      await first.close();
      const child = startChild(readerModule, [folder]);
      await child.firstMessage((message) => message === 3);
      const beside = await openStore(folder);
      assert.ok(lstatSync(linkIn(folder)).isFile());
      await beside.close();
      child.process.send('stop');
      assert.equal(await child.ended(), 0);
      const alone = await openStore(folder);
      assert.ok(lstatSync(linkIn(folder)).isSymbolicLink());
      await alone.close();
    });
  });
});
