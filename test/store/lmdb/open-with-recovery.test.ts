import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { startChild } from '../../support/child.ts';
import { ticks, withFolder } from '../../support/store-records.ts';

const OPEN_PROCESS = new URL(`./open-process${extname(import.meta.url)}`, import.meta.url);

async function makeStore(folder: string, backups: readonly string[]): Promise<void> {
  const store = await openStore(folder);
  for (const [index, name] of backups.entries()) {
    await store.journal.append(ticks(store.journal.head + 1, 10));
    await store.backup(join(folder, 'backups', name));
    const at = 1_700_000_000 + index;
    utimesSync(join(folder, 'backups', name, 'db', 'data.mdb'), at, at);
  }
  await store.journal.append(ticks(store.journal.head + 1, 5));
  await store.close();
}

/** Both of LMDB's first pages are lost, as after a disk fault. */
function breakStore(folder: string): void {
  const data = join(folder, 'db', 'data.mdb');
  truncateSync(data, 0);
  writeFileSync(data, Buffer.alloc(16_384, 0xa5));
}

interface Start {
  readonly head?: number;
  readonly code?: string;
  readonly message?: string;
}

/** Opens the store in a process of its own; nothing is expected when that process is ended by the store. */
async function start(folder: string): Promise<Start> {
  const child = startChild(OPEN_PROCESS, [folder]);
  await child.ended();
  return (child.messages[0] ?? {}) as Start;
}

const marker = (folder: string) => join(folder, 'opening');

describe('openWithRecovery', () => {
  it('leaves no marker behind an open that ended', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      assert.deepEqual(readdirSync(folder).sort(), ['db', 'db.made']);
    }));

  it('keeps a sound store after any number of opens that never ended', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      writeFileSync(marker(folder), '7');
      const store = await openStore(folder);
      assert.equal(store.journal.head, 15);
      await store.close();
      assert.deepEqual(readdirSync(folder).sort(), ['backups', 'db', 'db.made']);
    }));

  it('puts the newest backup in the place of a store that ended two processes', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['later', 'earlier']);
      breakStore(folder);
      assert.notEqual((await start(folder)).head, 25);
      assert.notEqual((await start(folder)).head, 25);
      assert.equal(readFileSync(marker(folder), 'utf8'), '2');

      assert.deepEqual(await start(folder), { head: 20 });
      assert.ok(!existsSync(marker(folder)));
      assert.equal(readdirSync(folder).filter((name) => name.startsWith('db.broken-')).length, 1);
      const store = await openStore(folder);
      assert.deepEqual([...store.journal.read(1)], ticks(1, 20));
      await store.close();
    }));

  it('names the remedy when there is no backup, as often as asked, and moves nothing', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      breakStore(folder);
      await start(folder);
      await start(folder);
      for (const again of [await start(folder), await start(folder)]) {
        assert.equal(again.code, 'STORE_BROKEN');
        assert.match(again.message ?? '', /no sound backup in .*backups; put one there, or move .* away/);
      }
      assert.deepEqual(readdirSync(folder).sort(), ['db', 'db.made', 'opening']);
    }));
});
