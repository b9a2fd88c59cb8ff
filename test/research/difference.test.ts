import assert from 'node:assert/strict';
import { cutToDifference } from '../../src/research/difference.ts';

const place = { place: 'checkpoint', seq: 5 };

describe('cutToDifference', () => {
  it('leaves short texts as they are', () => {
    const difference = { ...place, kept: '{"a":1}', recomputed: null };
    assert.deepEqual(cutToDifference(difference), difference);
  });

  it('shows long texts around the first character in which they differ', () => {
    const same = 'x'.repeat(1_000_000);
    const { kept, recomputed } = cutToDifference({
      ...place,
      kept: `${same}A${same}`,
      recomputed: `${same}B${same}`,
    });
    assert.match(kept ?? '', /^…x{60}Ax+…$/);
    assert.match(recomputed ?? '', /^…x{60}Bx+…$/);
    assert.ok((kept ?? '').length < 300);
  });
});
