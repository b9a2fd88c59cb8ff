import assert from 'node:assert/strict';
import { createSilentSources } from '../../../src/client/feed/silent-sources.ts';

describe('createSilentSources', () => {
  /** What is silent at the last of these ages, with a second between heartbeats. */
  function silentAfter(ages: readonly number[], name = 'posts/account_a', limits?: Record<string, number>) {
    const sources = createSilentSources(limits);
    return ages.map((age, second) => sources.update({ [name]: age }, second * 1_000)).at(-1);
  }

  it('finds by the rhythm of a source that it has missed two answers', () => {
    const steady = [400, 450, 420, 480, 410];
    assert.deepEqual(silentAfter([...steady, 1_410]), []);
    assert.deepEqual(silentAfter([...steady, 1_410, 2_410]), ['posts/account_a']);
    assert.deepEqual(silentAfter([...steady, 1_410, 2_410, 100]), []);
  });

  it('gives a slow source twice the longest time it took', () => {
    const slow = [9_000, 500, 9_400, 300, 9_900, 100, 9_100, 10];
    assert.deepEqual(silentAfter([...slow, 19_000], 'ui/account_a'), []);
    assert.deepEqual(silentAfter([...slow, 19_900], 'ui/account_a'), ['ui/account_a']);
  });

  it('uses the limits of the server while the rhythm is unknown', () => {
    assert.deepEqual(silentAfter([9_999]), []);
    assert.deepEqual(silentAfter([10_000]), ['posts/account_a']);
    assert.deepEqual(silentAfter([899_999], 'oracle/account_b'), []);
  });

  it('uses the limits that the server gives, as for posts that come from a list', () => {
    const sources = createSilentSources();
    const silentAt = (age: number) => sources.update({ 'posts/account_a': age }, 0, { posts: 600_000 });
    assert.deepEqual(silentAt(330_000), []);
    assert.deepEqual(silentAt(600_000), ['posts/account_a']);
  });

  it('ignores a source that may be done', () => {
    assert.deepEqual(silentAfter([10, 20, 15, 12, 9e9], 'archive/account_a'), []);
  });

  it('uses given limits, by role or by name', () => {
    assert.deepEqual(silentAfter([10, 20, 15, 12, 4_000], 'posts/account_a', { posts: 5_000 }), []);
    assert.deepEqual(silentAfter([5_000], 'posts/account_a', { posts: 5_000 }), ['posts/account_a']);
    assert.deepEqual(silentAfter([700], 'archive/account_a', { 'archive/account_a': 700 }), [
      'archive/account_a',
    ]);
  });

  it('does not learn a long silence as part of the rhythm', () => {
    const silence = [400, 420, 410, 430, 1_400, 2_400, 3_400];
    assert.deepEqual(silentAfter([...silence, 100, 150, 1_150, 2_150]), ['posts/account_a']);
  });
});
