import assert from 'node:assert/strict';
import { hasWords } from '../../../src/dashboard/state/search.ts';

describe('hasWords', () => {
  it('wants each word at the beginning of one, in any order', () => {
    assert.ok(hasWords('Account B, November 10', 'nov b'));
    assert.ok(!hasWords('Account A, November 10', 'nov b'));
    assert.ok(hasWords('anything', ' '));
  });
});
