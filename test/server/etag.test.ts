import assert from 'node:assert/strict';
import { namesTag } from '../../src/server/etag.ts';

describe('namesTag', () => {
  const TAG = 'W/"5-e1"';

  it('finds the tag alone, in a list, and whether it is marked weak or not', () => {
    for (const header of [TAG, '"5-e1"', '"x", W/"5-e1"', '"a,b" ,"5-e1","z"', '*', ' * ']) {
      assert.equal(namesTag(header, TAG), true, header);
    }
  });

  it('does not find a part of it, another case, or a tag without quotes', () => {
    for (const header of ['', '5-e1', '"5-e"', '"5-E1"', 'W/"5-e11"', '"x"', '**', 'W/', '"5-e1']) {
      assert.equal(namesTag(header, TAG), false, header);
    }
  });
});
