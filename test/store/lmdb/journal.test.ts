import assert from 'node:assert/strict';
import { extname, join } from 'node:path';
import { open } from 'lmdb';
import { COMPRESSION } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { startChild } from '../../support/child.ts';
import { ticks, velocityAt, withFolder } from '../../support/store-records.ts';

const APPEND_PROCESS = new URL(`./append-process${extname(import.meta.url)}`, import.meta.url);

interface Acknowledged {
  readonly head: number;
  readonly upTo: number;
}

/** Lets a child append, kills it after so many acknowledgements, and returns the last one. */
async function appendAndKill(folder: string, acknowledgements: number): Promise<Acknowledged> {
  const child = startChild(APPEND_PROCESS, [folder]);
  await child.firstMessage(() => child.messages.length >= acknowledgements);
  child.process.kill('SIGKILL');
  assert.equal(await child.ended(), 'SIGKILL');
  return child.messages.at(-1) as Acknowledged;
}

async function assertKept(folder: string, acknowledged: Acknowledged): Promise<void> {
  const { journal, outputs, close } = await openStore(folder);
  try {
    assert.ok(
      journal.head >= acknowledged.head,
      `${acknowledged.head} was acknowledged, ${journal.head} kept`,
    );
    // As texts: comparing so many records one by one would let the next child run far ahead.
    assert.equal(JSON.stringify([...journal.read(1)]), JSON.stringify(ticks(1, journal.head)));
    assert.ok(outputs.upTo >= acknowledged.upTo && outputs.upTo <= journal.head);
    const expected = ticks(1, outputs.upTo).map(({ seq }) => JSON.stringify(velocityAt(seq)));
    const kept = Array.from(outputs.read('velocity', 1), ({ json }) => json);
    assert.equal(kept.join(), expected.join());
  } finally {
    await close();
  }
}

async function corrupt(folder: string, seq: number, change: (block: string) => string): Promise<void> {
  const root = open({ path: join(folder, 'db'), overlappingSync: false, maxDbs: 32 });
  const blocks = root.openDB<string, number>({
    name: 'journal',
    encoding: 'string',
    compression: COMPRESSION,
  });
  blocks.putSync(seq, change(blocks.get(seq) ?? ''));
  await root.close();
}

describe('openJournal', () => {
  it('loses nothing acknowledged and tears no block in 6 kills', async function () {
    this.timeout(120_000);
    await withFolder(async (folder) => {
      for (const acknowledgements of [3, 40, 1, 75, 21, 8]) {
        await assertKept(folder, await appendAndKill(folder, acknowledgements));
      }
    });
  });

  it('is followed by a process that only reads', async () =>
    withFolder(async (folder) => {
      const writer = startChild(APPEND_PROCESS, [folder]);
      await writer.firstMessage((message) => (message as Acknowledged).head >= 1);
      const { journal, close } = await openStore(folder, { readOnly: true });
      const goal = journal.head + 100;
      await writer.firstMessage((message) => (message as Acknowledged).head >= goal);
      assert.ok(journal.head >= goal);
      const read = [...journal.read(1)];
      assert.deepEqual(read, ticks(1, read.length));
      assert.ok(read.length >= goal);
      await close();
      writer.process.kill('SIGKILL');
      await writer.ended();
    }));

  it('names the seq of a block whose bytes were changed', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      for (const seq of [1, 11, 21]) await store.journal.append(ticks(seq, 10));
      await store.close();
      await corrupt(folder, 11, (block) => block.replace('77', '78'));

      const { journal, close } = await openStore(folder);
      const seqs: number[] = [];
      const readAll = () => {
        for (const { seq } of journal.read(1)) seqs.push(seq);
      };
      assert.throws(readAll, { name: 'StoreError', code: 'STORE_CORRUPT', message: /seq 11/ });
      assert.equal(seqs.length, 10);
      assert.deepEqual([...journal.read(21)], ticks(21, 10));
      await close();
    }));

  it('finds out a block under the key of another, and a block that is missing', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      for (const seq of [1, 11, 21, 31]) await store.journal.append(ticks(seq, 10));
      await store.close();
      let first = '';
      await corrupt(folder, 1, (block) => {
        first = block;
        return block;
      });
      await corrupt(folder, 11, () => first);
      const root = open({ path: join(folder, 'db'), overlappingSync: false, maxDbs: 32 });
      root
        .openDB<string, number>({ name: 'journal', encoding: 'string', compression: COMPRESSION })
        .removeSync(21);
      await root.close();

      const { journal, close } = await openStore(folder);
      assert.throws(() => [...journal.read(11)], { code: 'STORE_CORRUPT', message: /seq 11/ });
      assert.throws(() => [...journal.read(25)], { code: 'STORE_CORRUPT' });
      assert.equal([...journal.read(31)].length, 10);
      await close();
    }));

  it('does not open on a newest block that is corrupt, for its head is unknown', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.journal.append(ticks(1, 10));
      await store.close();
      await corrupt(folder, 1, () => 'not a block');
      await assert.rejects(openStore(folder), { code: 'STORE_CORRUPT', message: /seq 1 / });
    }));
});
