import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Account, accountsOf } from '../../../src/world/life/accounts.ts';
import { dayOf, dayStart, postsOfDay } from '../../../src/world/life/daily-posts.ts';
import { HISTORY_DAYS } from '../../../src/world/life/level.ts';
import { isCounted } from '../../../src/world/life/post-kind.ts';
import { createdAtOf } from '../../../src/world/life/snowflake.ts';
import { compareIds, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { START_AT } from '../open.ts';

const [a, b] = known(accountsOf(7, 2));

function known([first, second]: readonly Account[]): readonly [Account, Account] {
  assert.ok(first !== undefined && second !== undefined);
  return [first, second];
}
const options = { seed: 7, startAt: START_AT };
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const starts = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2028, 0, 1) });

function days(account: Account, count: number) {
  return Array.from({ length: count }, (_, index) => postsOfDay(account, options, -index - 1));
}

describe('postsOfDay', () => {
  it('is a function of its arguments', () => {
    assert.deepEqual(postsOfDay(a, options, -12), postsOfDay(a, options, -12));
    assert.notDeepEqual(postsOfDay(a, options, -12), postsOfDay(a, { ...options, seed: 8 }, -12));
  });

  it('reaches back over a hundred days and no further than its limit', () => {
    assert.ok(postsOfDay(a, options, -100).length > 0);
    assert.deepEqual(postsOfDay(a, options, -HISTORY_DAYS - 1), []);
  });

  it('makes about 120 counted posts a day for A, about 25 for B', () => {
    const mean = (account: Account, counted: boolean) =>
      days(account, 100)
        .flat()
        .filter((post) => isCounted(post.kind) === counted).length / 100;
    assert.ok(Math.abs(mean(a, true) - 118) < 35, String(mean(a, true)));
    assert.ok(mean(a, false) > 100 && mean(a, false) < 400, String(mean(a, false)));
    assert.ok(Math.abs(mean(b, true) - 25) < 9, String(mean(b, true)));
  });

  it('gives ids that carry the instant, in order and inside the day', () => {
    fc.assert(
      fc.property(
        seeds,
        starts,
        fc.integer({ min: -100, max: 50 }),
        fc.constantFrom(a, b),
        (seed, startAt, day, account) => {
          const from = dayStart(account, startAt, day);
          let previous = '0';
          for (const post of postsOfDay(account, { seed, startAt }, day)) {
            assert.equal(createdAtOf(post.id), post.createdAt);
            assert.ok(compareIds(previous, post.id) < 0);
            assert.ok(post.createdAt >= from && post.createdAt < from + DAY_MS);
            assert.equal(dayOf(account, startAt, post.createdAt), day);
            previous = post.id;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('starts lively: A posts a counted post in 10 to 20 s and at least 12 in ten minutes, B joins', () => {
    fc.assert(
      fc.property(seeds, starts, (seed, startAt) => {
        const soon = (account: Account) =>
          postsOfDay(account, { seed, startAt }, 0).filter(
            (post) => post.createdAt >= startAt && post.createdAt < startAt + 10 * MINUTE_MS,
          );
        const posts = soon(a);
        const first = posts.find((post) => isCounted(post.kind));
        assert.ok(
          first !== undefined && first.createdAt - startAt >= 10_000 && first.createdAt - startAt <= 20_000,
        );
        assert.ok(posts.length >= 12);
        assert.ok(soon(b).length >= 4);
        for (const [index, post] of posts.entries()) {
          const next = posts[index + 1];
          assert.ok(next === undefined || next.createdAt - post.createdAt <= 41_000);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('lets the accounts sleep, at different hours', () => {
    const awake = (account: Account, hourAfterStart: number) =>
      days(account, 60)
        .flat()
        .filter((post) => {
          const hour = ((post.createdAt - START_AT) / HOUR_MS + 2_400) % 24;
          return Math.floor(hour) === hourAfterStart;
        }).length;
    assert.equal(awake(a, 15), 0);
    assert.ok(awake(b, 15) > 0);
    assert.equal(awake(b, 4), 0);
    assert.ok(awake(a, 4) > 0);
  });

  it('shows a post in any five minutes of any hour, for every seed', () => {
    fc.assert(
      fc.property(seeds, starts, fc.integer({ min: -90, max: 90 }), (seed, startAt, firstDay) => {
        const instants = [a, b]
          .flatMap((account) =>
            Array.from({ length: 6 }, (_, index) => postsOfDay(account, { seed, startAt }, firstDay + index)),
          )
          .flat()
          .map((post) => post.createdAt)
          .sort((left, right) => left - right);
        // The days of the two begin at different times: the first and the last one are not whole.
        const from = dayStart(a, startAt, firstDay + 1);
        const inside = instants.filter((at) => at >= from && at < from + 4 * DAY_MS);
        assert.ok(inside.length > 1_000, String(inside.length));
        for (const [index, at] of inside.entries())
          assert.ok(at - (inside[index - 1] ?? from) < 5 * MINUTE_MS, new Date(at).toISOString());
      }),
      { numRuns: 40 },
    );
  });

  it('lets no day make up in its second half for what the first one lacked', () => {
    for (const account of [a, b]) {
      const halves = [1, 2, 3, 4].flatMap((seed) =>
        Array.from({ length: 120 }, (_, index) => {
          const from = dayStart(account, START_AT, -index - 1);
          const counted = postsOfDay(account, { seed, startAt: START_AT }, -index - 1).filter(({ kind }) =>
            isCounted(kind),
          );
          const first = counted.filter(({ createdAt }) => createdAt < from + 9 * HOUR_MS).length;
          return [first, counted.length - first] as const;
        }),
      );
      // A fixed total would correlate them at nearly -1.
      assert.ok(correlation(halves) > 0.1, `${account.id} ${correlation(halves)}`);
    }
  });

  it('has every kind of post, deletions, edits and threads', () => {
    const posts = days(a, 100).flat();
    const kinds = new Set(posts.map((post) => post.kind));
    assert.equal(kinds.size, 7);
    const deleted = posts.filter((post) => post.deletedAt < Number.POSITIVE_INFINITY);
    const share = deleted.length / posts.length;
    assert.ok(share > 0.01 && share < 0.02, String(share));
    assert.ok(deleted.some((post) => post.deletedAt - post.createdAt < 5 * MINUTE_MS));
    assert.ok(deleted.some((post) => post.deletedAt - post.createdAt > HOUR_MS));
    assert.ok(posts.some((post) => post.edit !== null));
    const replies = posts.filter((post) => post.kind === 'selfReply');
    assert.ok(replies.every((post) => post.parentId !== null));
    const reposts = posts.filter((post) => post.kind === 'repost' || post.kind === 'quote').length;
    assert.ok(reposts / posts.filter((post) => isCounted(post.kind)).length > 0.6);
  });
});

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (place: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[place], 0) / pairs.length;
  const [left, right] = [mean(0), mean(1)];
  const product = (value: (pair: readonly [number, number]) => number) =>
    pairs.reduce((sum, pair) => sum + value(pair), 0);
  const both = product(([x, y]) => (x - left) * (y - right));
  return both / Math.sqrt(product(([x]) => (x - left) ** 2) * product(([, y]) => (y - right) ** 2));
}
