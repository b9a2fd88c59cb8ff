import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sleepProbability } from '../../../../streams/model/forecast/sleep.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

/** Posts every 20 minutes from 9 to 23 New York time, in winter. */
function regularPosts(days: number): number[] {
  return Array.from({ length: days * 72 }, (_, index) => FIRST_AT + index * 20 * 60_000).filter((at) => {
    const clock = ((at / HOUR_MS) % 24) - 5;
    return (clock + 24) % 24 >= 9 && (clock + 24) % 24 < 23;
  });
}

function at(posts: ArrayLike<number>, now: number): number {
  return sleepProbability(now, posts);
}

describe('sleep probability', () => {
  const posts = regularPosts(61);
  const midnight = FIRST_AT + 60 * DAY_MS + 5 * HOUR_MS;

  it('is low in the middle of the day and high when the usual night has begun', () => {
    assert.ok(at(posts, midnight + 15 * HOUR_MS + 60_000) < 0.05);
    assert.ok(at(posts, midnight + 2 * HOUR_MS) > 0.8);
  });

  it('is low just after a post of any kind, however long those that count are silent', () => {
    const reply = midnight + 20 * HOUR_MS;
    assert.equal(
      at(
        posts.filter((post) => post < midnight),
        reply,
      ),
      1,
    );
    assert.ok(at([...posts.filter((post) => post < reply), reply - 60_000], reply) < 0.1);
  });

  it('is 1 once four hours have passed without a post', () => {
    assert.equal(at(posts, midnight + 4 * HOUR_MS), 1);
  });

  it('is undecided about an account without a post', () => {
    assert.equal(at([], midnight), 0.5);
  });

  it('is a probability at any time', () => {
    const random = syntheticPosts(90);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90 * DAY_MS }), (passed) => {
        const probability = at(random, FIRST_AT + passed);
        assert.ok(probability >= 0 && probability <= 1);
      }),
    );
  });
});
