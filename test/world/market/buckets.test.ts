import assert from 'node:assert/strict';
import { accountsOf } from '../../../src/world/life/accounts.ts';
import { bucketsOf } from '../../../src/world/market/buckets.ts';

const ACCOUNTS = accountsOf(7, 20);
const [a] = ACCOUNTS;
const KINDS = ['week-tuesday', 'week-friday', 'two-days', 'month'] as const;

describe('bucketsOf', () => {
  it('tiles 0 to infinity without a gap for every account and series', () => {
    for (const account of ACCOUNTS) {
      for (const kind of KINDS) {
        let next = 0;
        for (const { lo, hi } of bucketsOf(account, kind)) {
          assert.equal(lo, next);
          next = (hi ?? Number.POSITIVE_INFINITY) + 1;
        }
        assert.equal(next, Number.POSITIVE_INFINITY);
      }
    }
  });

  it('has what is expected well inside the buckets of one width', () => {
    for (const account of ACCOUNTS) {
      const shapes = bucketsOf(account, 'week-friday');
      const expected = 7 * account.countedPerDay;
      const place = shapes.findIndex(({ lo, hi }) => lo <= expected && (hi === null || expected < hi + 1));
      assert.ok(place > 0 && place < shapes.length - 1, `${account.id} ${expected}`);
    }
  });

  it('has as many as it is asked for, with what is expected inside', () => {
    for (const account of ACCOUNTS) {
      const shapes = bucketsOf(account, 'two-days', 4);
      assert.equal(shapes.length, 4);
      const expected = 2 * account.countedPerDay;
      assert.ok((shapes[0]?.hi ?? 0) < expected && expected < (shapes.at(-1)?.lo ?? 0), account.id);
    }
  });

  it('has a month of two widths', () => {
    assert.ok(a !== undefined);
    const widths = bucketsOf(a, 'month')
      .slice(1, -1)
      .map(({ lo, hi }) => (hi ?? 0) - lo + 1);
    assert.deepEqual([...new Set(widths)], [80, 120]);
  });

  it('writes the labels and slugs of the ends', () => {
    const [, b] = ACCOUNTS;
    assert.ok(a !== undefined && b !== undefined);
    const shapes = bucketsOf(a, 'two-days');
    assert.deepEqual([shapes[0]?.title, shapes[0]?.slugSuffix], ['<100', '0-99']);
    assert.deepEqual([shapes.at(-1)?.title, shapes.at(-1)?.slugSuffix], ['450+', '450plus']);
    assert.equal(bucketsOf(b, 'week-friday')[0]?.title, '0-29');
  });
});
