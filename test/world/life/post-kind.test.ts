import assert from 'node:assert/strict';
import { isCounted, POST_KINDS } from '../../../src/world/life/post-kind.ts';

describe('isCounted', () => {
  it('counts originals, quotes, reposts and replies to oneself, and nothing else', () => {
    assert.deepEqual(
      POST_KINDS.filter((kind) => isCounted(kind)),
      ['original', 'quote', 'repost', 'selfReply'],
    );
  });
});
