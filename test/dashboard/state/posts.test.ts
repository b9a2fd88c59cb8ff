import assert from 'node:assert/strict';
import {
  countSoFar,
  drawTime,
  hourlyPosts,
  isFresh,
  kindOf,
  knownMs,
  mergePosts,
} from '../../../src/dashboard/state/posts.ts';
import type { Post } from '../../../src/dashboard/state/records.ts';

function post(id: number, createdAt: number, more: Partial<Post> = {}): Post {
  return {
    tweet_id: String(id),
    text: '',
    created_ts: createdAt,
    is_reply: false,
    is_quote: false,
    is_retweet: false,
    via: 'timeline',
    oracle_ts: null,
    is_counted: true,
    seen_ts: createdAt,
    deleted_ts: null,
    url: '',
    as_of: { seq: 0, ts: 0, ages_ms: { posts: null, oracle: null, ui: null, prices: null } },
    ...more,
  };
}

describe('posts', () => {
  it('are merged newest first, with the newer version of a post', () => {
    const newer = [post(1, 10, { deleted_ts: 99 }), post(3, 30)];
    const merged = mergePosts([post(2, 20), post(1, 10)], newer, 10);
    assert.deepEqual(
      merged.map(({ tweet_id, deleted_ts }) => [tweet_id, deleted_ts]),
      [
        ['3', null],
        ['2', null],
        ['1', 99],
      ],
    );
  });

  it('are kept up to a number, the newest first', () => {
    const merged = mergePosts([post(2, 20), post(1, 10)], [post(3, 15)], 2);
    assert.deepEqual(
      merged.map(({ tweet_id }) => tweet_id),
      ['2', '3'],
    );
  });

  it('are fresh for a few seconds, unless they came with the history or were deleted', () => {
    assert.equal(isFresh(post(1, 1_000, { seen_ts: 1_500 }), 5_000), true);
    assert.equal(isFresh(post(1, 1_000, { seen_ts: 1_500 }), 6_000), false);
    assert.equal(isFresh(post(1, 1_000, { seen_ts: 500_000 }), 500_001), false);
    assert.equal(isFresh(post(1, 1_000, { seen_ts: 1_500, deleted_ts: 1_600 }), 1_700), false);
    assert.equal(isFresh(post(1, 1_000, { seen_ts: 500_000, via: 'oracle_list' }), 500_001), true);
  });

  it('have one kind each', () => {
    assert.equal(kindOf(post(1, 0, { is_retweet: true, is_quote: true })), 'repost');
    assert.equal(kindOf(post(1, 0, { is_quote: true, is_reply: true })), 'quote');
    assert.equal(kindOf(post(1, 0, { is_reply: true })), 'reply');
    assert.equal(kindOf(post(1, 0, { is_reply: null, is_quote: null })), 'unknown');
    assert.equal(kindOf(post(1, 0, { is_reply: null, is_quote: null, is_retweet: true })), 'repost');
    assert.equal(kindOf(post(1, 0)), 'original');
  });

  const window = { startAt: 100, endAt: 200, now: 150 };

  it('give the count so far, counted backwards from the present count', () => {
    const posts = [post(4, 140), post(3, 130, { is_counted: false }), post(2, 120), post(1, 90)];
    assert.deepEqual(countSoFar(posts, window, 2), [
      { at: 100, count: 0 },
      { at: 120, count: 1 },
      { at: 140, count: 2 },
      { at: 150, count: 2 },
    ]);
  });

  it('give no start when older posts are unknown', () => {
    assert.deepEqual(countSoFar([post(9, 140)], window, 7), [
      { at: 140, count: 7 },
      { at: 150, count: 7 },
    ]);
  });

  it('are all known since the oldest one, and nothing is known without any', () => {
    assert.equal(knownMs([post(3, 900), post(2, 700), post(1, 400)], 1_000), 600);
    assert.equal(knownMs([], 1_000), 0);
    assert.equal(knownMs([post(1, 1_200)], 1_000), 0);
  });

  it('are counted by the hour', () => {
    const hour = 3_600_000;
    assert.deepEqual(
      hourlyPosts([post(1, 9.5 * hour), post(2, 8.5 * hour), post(3, hour)], 10 * hour, 3),
      [0, 1, 1],
    );
  });

  it('advance the time of a chart, which else advances in steps', () => {
    assert.equal(drawTime([], 25_000, 10_000), 20_000);
    assert.equal(drawTime([post(1, 12_000)], 25_000, 10_000), 20_000);
    assert.equal(drawTime([post(1, 24_000)], 25_000, 10_000), 24_000);
  });
});
