import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Fault } from '../../src/errors.ts';
import { queryInteger } from '../../src/server/validate.ts';

const LIMIT = { name: 'limit', min: 1, max: 100, byDefault: 15 };

function read(query: string, rule = LIMIT): number | string {
  const faults: Fault[] = [];
  const value = queryInteger(new URLSearchParams(query), rule, faults);
  return faults[0]?.type ?? value;
}

describe('queryInteger', () => {
  it('takes the default when the name is absent', () => {
    assert.equal(read(''), 15);
    assert.equal(read('Limit=3&limit2=4'), 15);
  });

  const accepted: readonly (readonly [string, number])[] = [
    ['1', 1],
    ['100', 100],
    ['%2B15', 15],
    ['+15', 15],
    [' 15', 15],
    ['15 ', 15],
    ['%0915', 15],
    ['15%0A', 15],
    ['%C2%A015', 15],
    ['015', 15],
    ['15.0', 15],
    ['15.00', 15],
    ['1_0', 10],
    ['1_0_0', 100],
    ['1_0.0', 10],
    [`${'0'.repeat(5_000)}7`, 7],
  ];
  for (const [text, value] of accepted) {
    it(`reads ${text.slice(0, 20)} as ${value}`, () => assert.equal(read(`limit=${text}`), value));
  }

  const unreadable =
    '15.5 15. .0 1e2 15abc 0x10 true null 1,0 1__0 _1 1_ 1_.0 15.0_0 15%00 %D9%A3 -- - %2B %2B-1 1%201 NaN Infinity';
  for (const text of ['', '+', ...unreadable.split(' ')]) {
    it(`does not read '${text}'`, () => assert.equal(read(`limit=${text}`), 'int_parsing'));
  }

  it('names the bound that is broken', () => {
    for (const text of ['0', '-0', '-1', '-15.0', `-${'9'.repeat(30)}`]) {
      assert.equal(read(`limit=${text}`), 'greater_than_equal');
    }
    for (const text of ['101', '100000000000000000000', '9'.repeat(4_300)]) {
      assert.equal(read(`limit=${text}`), 'less_than_equal');
    }
  });

  it('does not read more than 4300 characters', () => {
    assert.equal(read(`limit=${'9'.repeat(4_301)}`), 'int_parsing_size');
    assert.equal(read(`limit=${'x'.repeat(4_301)}`), 'int_parsing');
  });

  it('takes the last of a repeated name, good or bad', () => {
    assert.equal(read('limit=x&limit=7'), 7);
    assert.equal(read('limit=7&limit=x'), 'int_parsing');
  });

  it('words each fault as its callers know it', () => {
    const faults: Fault[] = [];
    for (const text of ['x', '9'.repeat(4_301), '0', '101']) {
      queryInteger(new URLSearchParams({ limit: text }), LIMIT, faults);
    }
    assert.deepEqual(
      faults.map(({ msg }) => msg),
      [
        'Input should be a valid integer, unable to parse string as an integer',
        'Unable to parse input string as an integer, exceeded maximum size',
        'Input should be greater than or equal to 1',
        'Input should be less than or equal to 100',
      ],
    );
    assert.ok(faults.every(({ loc }) => loc.join('.') === 'query.limit'));
  });

  it('reads back every integer it can hold, and caps the others', () => {
    const unbounded = { name: 'offset', byDefault: 0 };
    const readBack = (value: bigint | number) => {
      const faults: Fault[] = [];
      return queryInteger(new URLSearchParams({ offset: String(value) }), unbounded, faults);
    };
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => readBack(value) === value || value === 0));
    assert.equal(readBack(2n ** 80n), Number.MAX_SAFE_INTEGER);
  });

  it('takes time in proportion to the length of a hostile text', () => {
    const startedMs = performance.now();
    for (const text of [`${'0'.repeat(12_000)}x`, `${' '.repeat(12_000)}x y`, `${'1_'.repeat(6_000)}x`]) {
      for (let i = 0; i < 20; i++) read(`limit=${text}`);
    }
    assert.ok(performance.now() - startedMs < 1_000);
  });
});
