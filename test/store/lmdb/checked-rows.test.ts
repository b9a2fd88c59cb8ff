import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Key, open } from 'lmdb';
import { checkedBytes, checkedText, openCheckedRows } from '../../../src/store/lmdb/checked-rows.ts';
import { watchDamage } from '../../../src/store/lmdb/damage.ts';
import { withFolder } from '../../support/store-records.ts';

describe('openCheckedRows', () => {
  it('gives back what was put, and refuses a row whose bits changed, under another key, or of another database', () =>
    withFolder(async (folder) => {
      const root = open({ path: join(folder, 'db'), maxDbs: 8 });
      const { damage } = watchDamage();
      const keys = ['string', 'number'] as const;
      const plain = root.openDB<string, [string, number]>({ name: 'one', encoding: 'string' });
      const other = root.openDB<string, [string, number]>({ name: 'two', encoding: 'string' });
      const one = openCheckedRows({ name: 'one', database: plain, codec: checkedText, keys, damage });
      const two = openCheckedRows({ name: 'two', database: other, codec: checkedText, keys, damage });
      const isRefused = { name: 'StoreError', code: 'STORE_CORRUPT' };
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'grapheme', minLength: 1 }),
          fc.nat(),
          fc.nat(6),
          async (text, place, bit) => {
            await one.put(['a', 1], text);
            assert.equal(one.get(['a', 1]), text);
            const stored = plain.get(['a', 1]) ?? '';
            const at = place % stored.length;
            const changed = String.fromCharCode(stored.charCodeAt(at) ^ (1 << bit));
            await plain.put(['a', 1], stored.slice(0, at) + changed + stored.slice(at + 1));
            // Half of a surrogate pair is stored as the same bytes as any other half.
            if (plain.get(['a', 1]) !== stored) assert.throws(() => one.get(['a', 1]), isRefused);
            await plain.put(['a', 2], stored);
            assert.throws(() => one.get(['a', 2]), isRefused);
            await other.put(['a', 1], stored);
            assert.throws(() => [...two.getRange()], isRefused);
          },
        ),
        { numRuns: 50 },
      );
      await root.close();
    }));

  it('refuses a row under a key of another shape than those of its database have, by its key alone too', () =>
    withFolder(async (folder) => {
      const root = open({ path: join(folder, 'db'), maxDbs: 8 });
      const plain = root.openDB<string, Key>({ name: 'one', encoding: 'string' });
      const { damage } = watchDamage();
      const keys = ['string', 'number'] as const;
      const rows = openCheckedRows({ name: 'one', database: plain, codec: checkedText, keys, damage });
      const others: Key[] = [
        'a',
        1,
        ['a'],
        ['a', 'b'],
        [1, 1],
        ['a', 1, 1],
        ['a', Symbol.for('b')],
        ['a', Number.NaN],
        true,
      ];
      for (const other of others) {
        await plain.put(other, 'text');
        const isRefused = { code: 'STORE_CORRUPT', message: /is no key of it/ };
        assert.throws(() => [...rows.getRange()], isRefused);
        assert.throws(() => [...rows.getKeys()], isRefused);
        await plain.remove(other);
      }
      await rows.put(['a', 1], 'text');
      assert.deepEqual([...rows.getKeys()], [['a', 1]]);
      await root.close();
    }));

  it('takes any keys for ordered that it put, forwards and backwards', () =>
    withFolder(async (folder) => {
      const root = open({ path: join(folder, 'db'), maxDbs: 8 });
      const database = root.openDB<string, string>({ name: 'one', encoding: 'string' });
      const { damage } = watchDamage();
      const rows = openCheckedRows({ name: 'one', database, codec: checkedText, keys: 'string', damage });
      const anyKey = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(anyKey, { minLength: 2 }), async (keys) => {
          await rows.clear();
          for (const key of keys) await rows.put(key, 'text');
          assert.equal([...rows.getRange()].length, keys.length);
          assert.equal([...rows.getRange({ reverse: true })].length, keys.length);
        }),
        { numRuns: 50 },
      );
      await root.close();
    }));

  it('does the same for bytes, and names the rows that are bad beside the good ones', () =>
    withFolder(async (folder) => {
      const root = open({ path: join(folder, 'db'), maxDbs: 8 });
      const plain = root.openDB<Buffer, number>({ name: 'one', encoding: 'binary' });
      const { damage } = watchDamage();
      const rows = openCheckedRows({
        name: 'one',
        database: plain,
        codec: checkedBytes,
        keys: 'number',
        damage,
      });
      for (const key of [1, 2, 3]) await rows.put(key, Buffer.from([key, key]));
      await plain.put(2, Buffer.from([1]));
      const found = Array.from(rows.inspect(), ({ key, value }) => [key, value && [...value]]);
      assert.deepEqual(found, [
        [1, [1, 1]],
        [2, undefined],
        [3, [3, 3]],
      ]);
      await root.close();
    }));
});
