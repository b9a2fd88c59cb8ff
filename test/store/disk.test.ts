import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { diskUse } from '../../src/store/disk.ts';

describe('diskUse', () => {
  it('measures how full the disk is, as bytes and as a share', async () => {
    const { usedBytes, freeBytes, usedShare } = await diskUse(tmpdir());
    assert.ok(usedBytes >= 0 && freeBytes > 0);
    assert.equal(usedShare, usedBytes / (usedBytes + freeBytes));
  });
});
