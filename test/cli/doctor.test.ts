import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { ticks, withFolder } from '../support/store-records.ts';
import { runMain } from './run-main.ts';

const KEYS = Array.from({ length: 60 }, (_, n) => ({
  id: `key${n}`,
  hash: `${n}`.padStart(64, '0'),
  tier: 'PRO' as const,
  name: `holder ${n} `.repeat(8),
  limit: null,
  createdAt: n,
  lastUsedAt: null,
  revokedAt: null,
}));

async function makeStore(folder: string): Promise<void> {
  const store = await openStore(folder);
  await store.journal.append(ticks(1, 100));
  // In one transaction, so that there is one copy of each page.
  await store.keys.put(KEYS);
  await store.backup(join(folder, 'backups', 'one'));
  await store.close();
}

/** Zeros a page of keys. */
function zeroPage(folder: string): void {
  const path = join(folder, 'db', 'data.mdb');
  const at = readFileSync(path).indexOf('holder 30');
  assert.ok(at > 0);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE), 0, PAGE, Math.floor(at / PAGE) * PAGE);
  closeSync(file);
}

const PAGE = 4_096;

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
      assert.match(JSON.stringify(found), /keys: rows cannot be read after /);
      assert.match(advice ?? '', /doctor --repair/);
      assert.ok(readFileSync(join(folder, 'db', 'data.mdb')).equals(before));

      const repaired = await runMain(['doctor', '--data', folder, '--repair']);
      assert.equal(repaired.code, 0, repaired.stderr);
      assert.match(repaired.stdout, /keptAs: .*db\.broken-/);
      assert.ok(readdirSync(folder).some((name) => name.startsWith('db.broken-')));
      const store = await openStore(folder);
      const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
      assert.deepEqual(store.keys.all().toSorted(byId), KEYS.toSorted(byId));
      assert.equal(store.journal.head, 100);
      await store.close();
      assert.equal((await runMain(['doctor', '--data', folder])).code, 0);
    }));

  it('finds no store where there is none', () =>
    withFolder(async (folder) => {
      const { code, stderr } = await runMain(['doctor', '--data', folder]);
      assert.deepEqual([code, /there is no store/.test(stderr)], [1, true]);
    }));
});
