import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Database, open } from 'lmdb';
import { COMPRESSION } from '../../../src/store/lmdb/environment.ts';
import { pagesNeeded, sizeOf } from '../../../src/store/lmdb/write-size.ts';
import { withFolder } from '../../support/store-records.ts';

/** One commit: rows after all others, rows anywhere, and rows taken away, in one of the databases. */
const commit = fc.record({
  database: fc.nat(2),
  appended: fc.array(fc.nat(6_000), { maxLength: 60 }),
  put: fc.array(fc.tuple(fc.nat(3_000), fc.nat(3_000)), { maxLength: 200 }),
  removed: fc.array(fc.nat(3_000), { maxLength: 200 }),
});

/** A text that hardly shrinks when it is compressed. */
function textOf(length: number, salt: number): string {
  let text = '';
  for (let n = salt + 1; text.length < length; n = (n * 48_271) % 2_147_483_647) text += n.toString(36);
  return text.slice(0, length);
}

describe('pagesNeeded', () => {
  it('is never less than what a commit adds to the file', () =>
    fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 12 }), (commits) =>
        withFolder(async (folder) => {
          const root = open({
            path: join(folder, 'db'),
            noSubdir: false,
            encoding: 'string',
            compression: COMPRESSION,
            overlappingSync: false,
          });
          const databases: Database<string, number>[] = ['a', 'b', 'c'].map((name) =>
            root.openDB<string, number>({ name, encoding: 'string' }),
          );
          const used = () => Object(root.getStats()).lastPageNumber + 1;
          let last = 10_000;
          try {
            for (const [salt, { database, appended, put, removed }] of commits.entries()) {
              const target = databases[database];
              assert.ok(target);
              const atEnd = appended.map((length) => textOf(length, salt));
              const anywhere = put.map(([key, length]) => ({ key, text: textOf(length, key) }));
              const before: number = used();
              const size = sizeOf(
                anywhere.map(({ text }) => text),
                removed.length,
              );
              const bytes = size.bytes + sizeOf(atEnd).bytes;
              await root.batch(() => {
                for (const text of atEnd) void target.put(last++, text);
                for (const { key, text } of anywhere) void target.put(key, text);
                for (const key of removed) void target.remove(key);
              });
              const most = pagesNeeded({ rows: size.rows, bytes }, before, 4_096);
              assert.ok(used() - before <= most, `${used() - before} pages, ${most} were expected at most`);
            }
          } finally {
            await root.close();
          }
        }),
      ),
      { numRuns: 20 },
    ));
});
