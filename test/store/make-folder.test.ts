import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../src/store/make-folder.ts';

describe('makeFolder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes a folder and those above it, also when they are there', () => {
    const path = join(folder, 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    assert.ok(statSync(path).isDirectory());
  });

  it('fails on a file that stands in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' });
    assert.throws(() => makeFolder(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
  });

  it('fails at once where no folder can be made', function () {
    if (process.platform !== 'linux') this.skip();
    assert.throws(() => makeFolder('/proc/tallywire/data'), { code: 'ENOENT' });
  });
});
