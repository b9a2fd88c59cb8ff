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
  ['240+ tweets', 240, null],
  ['240+ Tweets', 240, null],
  ['240 + posts', 240, null],
  ['240+tweets', 240, null],
  ['<40 tweets', 0, 39],
  ['< 40 posts', 0, 39],
  ['less than 20 posts', 0, 19],
  ['240-259 posts', 240, 259],
  ['240–259 POSTS', 240, 259],
  ['240 tweets to 259 tweets', 240, 259],
  ['between 240 and 259 posts', 240, 259],
  ['240 or more posts', 240, null],
  ['240 posts or more', 240, null],
  ['at least 240 posts', 240, null],
  ['≥240 posts', 240, null],
  ['more than 240 posts', 241, null],
  ['19 or fewer posts', 0, 19],
  ['19 posts or fewer', 0, 19],
  ['up to 19 tweets', 0, 19],
  ['1 tweet', 1, 1],
  ['0 posts', 0, 0],
  ['240+ times', 240, null],
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
    'posts',
    'more posts',
    '2 posts 40',
    '2posts40',
    '240+ reposts',
    '240+ postscripts',
    '240+ million',
    '5 days',
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

  it('reads every form alike with and without a noun, wherever it stands', () => {
    const forms: readonly ((n: number, noun: string, more: string) => string)[] = [
      (n, noun) => `<${n}${noun}`,
      (n, noun) => `less than ${n}${noun}`,
      (n, noun) => `${n}+${noun}`,
      (n, noun) => `${n}${noun}+`,
      (n, noun, more) => `${n}${more}-${n + 19}${noun}`,
      (n, noun, more) => `${n}${more} to ${n + 19}${noun}`,
      (n, noun, more) => `between ${n}${more} and ${n + 19}${noun}`,
      (n, noun, more) => `${n}${more} or more${noun}`,
      (n, noun, more) => `${n}${more} or fewer${noun}`,
      (n, noun) => `at least ${n}${noun}`,
      (n, noun) => `at most ${n}${noun}`,
      (n, noun) => `>${n}${noun}`,
      (n, noun) => `${n}${noun}`,
    ];
    const anyNoun = fc.constantFrom(
      ' tweets',
      ' posts',
      ' Tweets',
      ' POSTS',
      ' tweet',
      '  post ',
      ' times',
      '',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        fc.integer({ min: 1, max: 5_000_000 }),
        anyNoun,
        anyNoun,
        (form, n, noun, more) => {
          const range = parseBucketLabel(form(n, '', ''));
          assert.ok(range);
          assert.deepEqual(parseBucketLabel(form(n, noun, more)), range, form(n, noun, more));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives a range of safe whole counts or nothing, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...'0123456789,-+<>≤≥ ormetwh', ' posts', 'tweet'),
          maxLength: 20,
        }),
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
