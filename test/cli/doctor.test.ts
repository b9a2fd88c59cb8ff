import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { ticks, withFolder } from '../support/store-records.ts';
import { runMain } from './run-main.ts';

async function makeStore(folder: string): Promise<void> {
  const store = await openStore(folder);
  for (let seq = 1; seq < 3_000; seq += 100) await store.journal.append(ticks(seq, 100));
  await store.backup(join(folder, 'backups', 'one'));
  await store.close();
}

/** Zeros the page in the middle of those that hold the log. */
function zeroPage(folder: string): void {
  const path = join(folder, 'db', 'data.mdb');
  const at = readFileSync(path).lastIndexOf('"events"');
  assert.ok(at > 0);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096), 0, 4_096, Math.floor(at / 4_096) * 4_096);
  closeSync(file);
}

describe('tallywire doctor', () => {
  it('tells a sound folder from a damaged one, changes nothing, and repairs on request', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      const sound = await runMain(['doctor', '--data', folder]);
      assert.equal(sound.code, 0, sound.stderr);
      assert.match(sound.stdout, /: sound/);
      assert.match(sound.stdout, /backups.one: .* h old, sound/);

      zeroPage(folder);
      const before = readFileSync(join(folder, 'db', 'data.mdb'));
      const damaged = await runMain(['doctor', '--data', folder, '--json']);
      assert.equal(damaged.code, 1, damaged.stderr);
      const { condition, found, advice } = JSON.parse(damaged.stdout) as Record<string, string>;
      assert.equal(condition, 'damaged');
      assert.match(JSON.stringify(found), /journal/);
      assert.match(advice ?? '', /doctor --repair/);
      assert.ok(readFileSync(join(folder, 'db', 'data.mdb')).equals(before));

      const repaired = await runMain(['doctor', '--data', folder, '--repair']);
      assert.equal(repaired.code, 0, repaired.stderr);
      assert.match(repaired.stdout, /keptAs: .*db\.broken-/);
      assert.ok(readdirSync(folder).some((name) => name.startsWith('db.broken-')));
      const store = await openStore(folder);
      // The log's gap was filled from the backup.
      assert.deepEqual([store.journal.tail, store.journal.head], [1, 3_000]);
      assert.equal([...store.journal.read(1)].length, 3_000);
      await store.close();
      assert.equal((await runMain(['doctor', '--data', folder])).code, 0);
    }));

  it('finds no store where there is none', () =>
    withFolder(async (folder) => {
      const { code, stderr } = await runMain(['doctor', '--data', folder]);
      assert.deepEqual([code, /there is no store/.test(stderr)], [1, true]);
    }));
});
