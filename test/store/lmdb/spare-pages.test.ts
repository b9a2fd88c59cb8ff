import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSparePages } from '../../../src/store/lmdb/spare-pages.ts';
import { withFolder } from '../../support/store-records.ts';

const PAGE = 4_096;

describe('openSparePages', () => {
  it('gives every added page its place on the disk', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'file');
      writeFileSync(path, Buffer.alloc(3 * PAGE, 1));
      const pages = await openSparePages(path, PAGE);
      assert.equal(pages.total, 3);
      await pages.growTo(700);
      await pages.growTo(5);
      assert.equal(pages.total, 700);
      await pages.close();
      const { size, blocks } = statSync(path);
      assert.equal(size, 700 * PAGE);
      assert.ok(blocks * 512 >= size, `${blocks} blocks for ${size} bytes`);
    }));

  it('overwrites nothing that was added behind its back', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'file');
      writeFileSync(path, Buffer.alloc(3 * PAGE, 1));
      const pages = await openSparePages(path, PAGE);
      appendFileSync(path, Buffer.alloc(PAGE, 2));
      await pages.growTo(5);
      await pages.close();
      const bytes = readFileSync(path);
      assert.deepEqual([bytes.length, bytes[3 * PAGE], bytes[4 * PAGE]], [5 * PAGE, 2, 0]);
    }));

  it('trusts no page of a file with holes until they are filled, and changes no byte of it', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'file');
      writeFileSync(path, Buffer.alloc(2 * PAGE, 7));
      truncateSync(path, 400 * PAGE);
      const pages = await openSparePages(path, PAGE);
      assert.equal(pages.total, 0);
      await pages.growTo(1);
      assert.equal(pages.total, 400);
      await pages.close();
      const { size, blocks } = statSync(path);
      assert.ok(blocks * 512 >= size);
      const again = await openSparePages(path, PAGE);
      assert.equal(again.total, 400);
      await again.close();
    }));
});
