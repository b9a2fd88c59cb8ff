import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { tryWriting } from '../../../src/store/lmdb/write-probe.ts';
import { makeStore } from '../../support/data-folder.ts';
import { filePath, PAGE, usedPages } from '../../support/database-pages.ts';
import { withFolder } from '../../support/store-records.ts';

/** The number of the transaction that wrote a page, which only writers look at. */
const TRANSACTION = 10;

describe('tryWriting', () => {
  it('says whether writing works, ends the process, or could not be tried', () =>
    withFolder(async (folder) => {
      await makeStore(folder);
      const sound = readFileSync(filePath(folder));
      assert.deepEqual(await tryWriting(folder), { is: 'possible' });
      assert.ok(readFileSync(filePath(folder)).equals(sound));

      // No process can be started with it.
      process.execArgv.push('--no-such-option');
      try {
        const tried = await tryWriting(folder);
        assert.match(JSON.stringify(tried), /^\{"is":"unknown","reason":"whether .* could not be tried: /);
      } finally {
        process.execArgv.pop();
      }

      const bytes = Buffer.from(sound);
      for (const { page, part } of usedPages(folder)) {
        const at = page * PAGE + TRANSACTION;
        if (part === 'journal') bytes.writeUInt8(bytes.readUInt8(at) ^ 16, at);
      }
      writeFileSync(filePath(folder), bytes);
      assert.deepEqual(await tryWriting(folder), { is: 'ended' });
    }));
});
