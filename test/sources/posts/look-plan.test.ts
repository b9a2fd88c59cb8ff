import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLookPlan } from '../../../src/sources/posts/look-plan.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';

const PERIOD_MS = 29_000;

interface Story {
  /** Ms after its creation; null: never. */
  readonly listedAfterMs: number | null;
  readonly isCounted: boolean;
  readonly seenAfterMs?: number;
}

/** The ages at which a post is looked at within a day, in ms, with a poll each period. */
function looksAt({ listedAfterMs, isCounted, seenAfterMs = 11_500 }: Story, isMissing = false): number[] {
  const plan = createLookPlan(PERIOD_MS);
  const ages: number[] = [];
  for (let age = seenAfterMs + PERIOD_MS; age < DAY_MS; age += PERIOD_MS) {
    const isListed = listedAfterMs !== null && listedAfterMs <= age;
    const post = { id: '1', createdAt: 0, isCounted, oracleAt: isListed ? listedAfterMs : null };
    if (!plan.isDue(post, age)) continue;
    plan.looked(post, age, isMissing);
    ages.push(age);
    if (plan.misses('1') === 2) break;
  }
  return ages;
}

describe('createLookPlan', () => {
  it('looks at a counted post in every poll of its first four minutes', () => {
    const young = looksAt({ listedAfterMs: null, isCounted: true }).filter((age) => age <= 4 * MINUTE_MS);
    assert.deepEqual(
      young,
      [1, 2, 3, 4, 5, 6, 7].map((polls) => 11_500 + polls * PERIOD_MS),
    );
  });

  it('keeps looking often while the oracle has not taken it in, and hardly afterwards', () => {
    const between = (ages: readonly number[], from: number, to: number) =>
      ages.filter((age) => age >= from && age < to).length;
    const unlisted = looksAt({ listedAfterMs: null, isCounted: true });
    const listed = looksAt({ listedAfterMs: 158_000, isCounted: true });
    assert.ok(between(unlisted, 0, 10 * MINUTE_MS) >= 13, String(unlisted));
    assert.ok(between(listed, 0, 158_000) >= 4, String(listed));
    assert.ok(between(listed, 158_000, DAY_MS) <= 6, String(listed));
  });

  it('looks a few times at a post that does not count', () => {
    assert.ok(looksAt({ listedAfterMs: null, isCounted: false }).length <= 7);
  });

  it('follows up a miss in the next poll', () => {
    const [first = 0, second = 0, ...rest] = looksAt({ listedAfterMs: null, isCounted: true }, true);
    assert.deepEqual([second - first, rest], [PERIOD_MS, []]);
  });

  it('finds a deletion before the oracle’s reading within two polls or an eighth of the post’s age', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12_000, max: HOUR_MS }), (deletedAfterMs) => {
        const ages = looksAt({ listedAfterMs: null, isCounted: true });
        const next = ages.find((age) => age >= deletedAfterMs) ?? Number.POSITIVE_INFINITY;
        assert.ok(next - deletedAfterMs <= Math.max(2 * PERIOD_MS, 0.125 * deletedAfterMs + PERIOD_MS));
      }),
    );
  });

  it('forgets posts that are no longer of interest, and takes every post for due when the clock was set back', () => {
    const plan = createLookPlan(PERIOD_MS);
    const post = { id: '1', createdAt: 0, isCounted: true, oracleAt: null };
    plan.looked(post, HOUR_MS, false);
    assert.equal(plan.isDue(post, HOUR_MS + 1), false);
    assert.equal(plan.isDue(post, HOUR_MS - 1), true);
    plan.keep([]);
    assert.equal(plan.isDue(post, HOUR_MS + 1), true);
  });
});
