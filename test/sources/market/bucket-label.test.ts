import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseBucketLabel } from '../../../src/sources/market/bucket-label.ts';

const LABELS: readonly (readonly [string, number, number | null])[] = [
  ['<40', 0, 39],
  ['< 40', 0, 39],
  ['<1', 0, 0],
  ['less than 20', 0, 19],
  ['under 1,000', 0, 999],
  ['0-19', 0, 19],
  [' 200-219 ', 200, 219],
  ['200 - 219', 200, 219],
  ['200–219', 200, 219],
  ['200—219', 200, 219],
  ['200−219', 200, 219],
  ['200 to 219', 200, 219],
  ['1,920-1,999', 1920, 1999],
  ['240+', 240, null],
  ['240 +', 240, null],
  ['2,000+', 2000, null],
  ['500 or more', 500, null],
  ['500 or above', 500, null],
  ['≥500', 500, null],
  ['>=500', 500, null],
  ['at least 500', 500, null],
  ['>500', 501, null],
  ['More than 500', 501, null],
  ['19 or fewer', 0, 19],
  ['19 or less', 0, 19],
  ['≤19', 0, 19],
  ['<=19', 0, 19],
  ['7', 7, 7],
  ['1,234', 1234, 1234],
];

describe('parseBucketLabel', () => {
  for (const [label, lo, hi] of LABELS) {
    it(`reads ${JSON.stringify(label)} as ${lo} to ${hi ?? 'any'}`, () => {
      assert.deepEqual(parseBucketLabel(label), { lo, hi });
    });
  }

  for (const label of [
    '',
    'Other',
    '<0',
    '219-200',
    '1,23-456',
    '12-',
    '-5',
    '1.5',
    'Yes',
    '10-20-30',
    '+5',
    '↑ 150',
  ]) {
    it(`does not understand ${JSON.stringify(label)}`, () => {
      assert.equal(parseBucketLabel(label), null);
    });
  }

  it('reads back every range it can be written as, whatever the dash and the commas', () => {
    const dash = fc.constantFrom('-', ' - ', '–', '—', ' to ');
    fc.assert(
      fc.property(
        fc.nat(5_000_000),
        fc.nat(5_000_000),
        dash,
        fc.boolean(),
        (a, width, between, hasCommas) => {
          const text = (n: number) => (hasCommas ? n.toLocaleString('en-US') : String(n));
          assert.deepEqual(parseBucketLabel(`${text(a)}${between}${text(a + width)}`), {
            lo: a,
            hi: a + width,
          });
          assert.deepEqual(parseBucketLabel(`${text(a)}+`), { lo: a, hi: null });
        },
      ),
    );
  });

  it('gives a range of safe whole counts or nothing, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789,-+<>≤≥ ormetwh'), maxLength: 20 }),
        (label) => {
          const range = parseBucketLabel(label);
          if (range === null) return;
          assert.ok(Number.isSafeInteger(range.lo) && range.lo >= 0);
          assert.ok(range.hi === null || (Number.isSafeInteger(range.hi) && range.hi >= range.lo));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
