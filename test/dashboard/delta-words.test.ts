import assert from 'node:assert/strict';
import { deltaWords } from '../../src/dashboard/delta-words.ts';

describe('deltaWords', () => {
  it('says who is behind or ahead, and by how much', () => {
    assert.equal(deltaWords('UI', 4), 'UI is 4 behind');
    assert.equal(deltaWords('UI', -1), 'UI is 1 ahead');
    assert.equal(deltaWords('Oracle', 0), 'Oracle agrees');
    assert.equal(deltaWords('Oracle', null), 'Oracle not known yet');
  });
});
