import assert from 'node:assert/strict';
import { countSoFar, hourlyPosts, isNews, kindOf, mergePosts } from '../../../src/dashboard/state/posts.ts';
import type { Post } from '../../../src/dashboard/state/records.ts';

function post(id: number, createdAt: number, more: Partial<Post> = {}): Post {
  return {
    tweet_id: String(id),
    text: '',
    created_ts: createdAt,
    is_reply: false,
    is_quote: false,
    is_retweet: false,
    is_counted: true,
    seen_ts: createdAt,
    deleted_ts: null,
    url: '',
    as_of: { seq: 0, ts: 0, ages_ms: { posts: null, oracle: null, ui: null, prices: null } },
    ...more,
  };
}

describe('posts', () => {
  it('are merged newest first, and the newer word on a post wins', () => {
    const told = [post(1, 10, { deleted_ts: 99 }), post(3, 30)];
    const merged = mergePosts([post(2, 20), post(1, 10)], told, 10);
    assert.deepEqual(
      merged.map(({ tweet_id, deleted_ts }) => [tweet_id, deleted_ts]),
      [
        ['3', null],
        ['2', null],
        ['1', 99],
      ],
    );
  });

  it('are kept up to a number, the newest of them', () => {
    const merged = mergePosts([post(2, 20), post(1, 10)], [post(3, 15)], 2);
    assert.deepEqual(
      merged.map(({ tweet_id }) => tweet_id),
      ['2', '3'],
    );
  });

  it('are news for a few seconds, unless they came with the history or are gone', () => {
    assert.equal(isNews(post(1, 1_000, { seen_ts: 1_500 }), 5_000), true);
    assert.equal(isNews(post(1, 1_000, { seen_ts: 1_500 }), 6_000), false);
    assert.equal(isNews(post(1, 1_000, { seen_ts: 500_000 }), 500_001), false);
    assert.equal(isNews(post(1, 1_000, { seen_ts: 1_500, deleted_ts: 1_600 }), 1_700), false);
  });

  it('have one kind each', () => {
    assert.equal(kindOf(post(1, 0, { is_retweet: true, is_quote: true })), 'repost');
    assert.equal(kindOf(post(1, 0, { is_quote: true, is_reply: true })), 'quote');
    assert.equal(kindOf(post(1, 0, { is_reply: true })), 'reply');
    assert.equal(kindOf(post(1, 0)), 'original');
  });

  const window = { startAt: 100, endAt: 200, now: 150 };

  it('give the count so far, reckoned back from the count of now', () => {
    const posts = [post(4, 140), post(3, 130, { is_counted: false }), post(2, 120), post(1, 90)];
    assert.deepEqual(countSoFar(posts, window, 2), [
      { at: 100, count: 0 },
      { at: 120, count: 1 },
      { at: 140, count: 2 },
      { at: 150, count: 2 },
    ]);
  });

  it('give no beginning when older posts are not known', () => {
    assert.deepEqual(countSoFar([post(9, 140)], window, 7), [
      { at: 140, count: 7 },
      { at: 150, count: 7 },
    ]);
  });

  it('are told by the hour', () => {
    const hour = 3_600_000;
    assert.deepEqual(
      hourlyPosts([post(1, 9.5 * hour), post(2, 8.5 * hour), post(3, hour)], 10 * hour, 3),
      [0, 1, 1],
    );
  });
});
