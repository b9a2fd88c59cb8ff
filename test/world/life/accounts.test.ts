import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountsOf } from '../../../src/world/life/accounts.ts';
import { postsOfDay } from '../../../src/world/life/daily-posts.ts';
import { isCounted } from '../../../src/world/life/post-kind.ts';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { START_AT } from '../open.ts';

const DAYS = 60;

describe('accountsOf', () => {
  it('names accounts like the columns of a sheet', () => {
    const ids = accountsOf(1, 705).map(({ id }) => id);
    assert.deepEqual(
      [ids[0], ids[1], ids[25], ids[26], ids[27], ids[51], ids[52], ids[701], ids[702]],
      ['a', 'b', 'z', 'aa', 'ab', 'az', 'ba', 'zz', 'aaa'],
    );
    assert.equal(new Set(ids).size, 705);
  });

  it('makes up each account from the seed alone, however many there are', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 30 }), (seed, count) => {
        assert.deepEqual(accountsOf(seed, 40).slice(0, count), accountsOf(seed, count));
      }),
      { numRuns: 20 },
    );
    assert.notDeepEqual(accountsOf(1, 6)[4], accountsOf(2, 6)[4]);
  });

  it('gives them different lives: a post a day to 200, programs, owls, silences of days', () => {
    for (const seed of [1, 2, 3]) {
      const lives = accountsOf(seed, 26).map((account) => {
        const days = Array.from({ length: DAYS }, (_, index) =>
          postsOfDay(account, { seed, startAt: START_AT }, -index - 1).filter(({ kind }) => isCounted(kind)),
        );
        return { account, counts: days.map((posts) => posts.length), posts: days.flat() };
      });
      const perDay = lives.map(({ posts }) => posts.length / DAYS);
      assert.ok(Math.min(...perDay) < 5 && Math.min(...perDay) > 0.3, String(Math.min(...perDay)));
      assert.ok(Math.max(...perDay) > 90 && Math.max(...perDay) < 300, String(Math.max(...perDay)));
      const programs = lives.filter(({ account }) => account.clockMinutes !== null);
      assert.ok(programs.length >= 3);
      for (const { account, posts } of programs) {
        const offsets = posts.map(({ createdAt }) => createdAt % ((account.clockMinutes ?? 1) * 60_000));
        assert.ok(Math.max(...offsets) < 20_000);
      }
      const silences = lives.filter(({ account, counts }) => {
        const text = counts.map((count) => (count === 0 ? '0' : '1')).join('');
        return account.countedPerDay > 4.5 && text.includes('00');
      });
      assert.ok(silences.length >= 2, String(silences.length));
      const restingHours = lives.map(({ posts }) => {
        const hours = new Set(posts.map(({ createdAt }) => Math.floor((createdAt % DAY_MS) / HOUR_MS)));
        return Array.from({ length: 24 }, (_, hour) => hour).find(
          (hour) => !hours.has(hour) && !hours.has((hour + 1) % 24) && !hours.has((hour + 2) % 24),
        );
      });
      // They sleep at different hours of the day, and some not at all.
      assert.ok(new Set(restingHours).size >= 6, String(restingHours));
    }
  });

  it('refuses a world without accounts', () => {
    assert.throws(() => accountsOf(1, 0), RangeError);
  });
});
