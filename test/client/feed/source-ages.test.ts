import assert from 'node:assert/strict';
import { createSourceAges } from '../../../src/client/feed/source-ages.ts';

describe('createSourceAges', () => {
  /** The ages at heartbeats a second apart; returns what was told at the last. */
  function at(ages: readonly number[], name = 'posts/account_a', limits?: Record<string, number>) {
    const sources = createSourceAges(limits);
    return ages.map((age, second) => sources.take({ [name]: age }, second * 1_000)).at(-1);
  }

  it('knows by the rhythm of a source when it has missed two answers', () => {
    const steady = [400, 450, 420, 480, 410];
    assert.deepEqual(at([...steady, 1_410]), []);
    assert.deepEqual(at([...steady, 1_410, 2_410]), ['posts/account_a']);
    assert.deepEqual(at([...steady, 1_410, 2_410, 100]), []);
  });

  it('gives a source that takes its time twice the longest it took', () => {
    const slow = [9_000, 500, 9_400, 300, 9_900, 100, 9_100, 10];
    assert.deepEqual(at([...slow, 19_000], 'ui/account_a'), []);
    assert.deepEqual(at([...slow, 19_900], 'ui/account_a'), ['ui/account_a']);
  });

  it('waits as long as the server does while it knows no rhythm', () => {
    assert.deepEqual(at([9_999]), []);
    assert.deepEqual(at([10_000]), ['posts/account_a']);
    assert.deepEqual(at([899_999], 'oracle/account_b'), []);
  });

  it('says nothing of a source that may be done', () => {
    assert.deepEqual(at([10, 20, 15, 12, 9e9], 'archive/account_a'), []);
  });

  it('takes limits that are given as they are, by role or by name', () => {
    assert.deepEqual(at([10, 20, 15, 12, 4_000], 'posts/account_a', { posts: 5_000 }), []);
    assert.deepEqual(at([5_000], 'posts/account_a', { posts: 5_000 }), ['posts/account_a']);
    assert.deepEqual(at([700], 'archive/account_a', { 'archive/account_a': 700 }), ['archive/account_a']);
  });

  it('does not get used to silence', () => {
    const silence = [400, 420, 410, 430, 1_400, 2_400, 3_400];
    assert.deepEqual(at([...silence, 100, 150, 1_150, 2_150]), ['posts/account_a']);
  });
});
