import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { windowStart } from '../../../src/sources/market/window-start.ts';

const HOUR_MS = 3_600_000;
const at = (iso: string) => Date.parse(iso);
const blank = { description: '', slug: 'x', title: '' };

const CASES: readonly (readonly [string, Partial<typeof blank>, string, string | null])[] = [
  [
    'rules with both years',
    { description: 'from April 3, 2026, 12:00 PM ET to April 10, 2026, 12:00 PM ET.' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  [
    'rules with one year',
    { description: 'posts between April 3, 12:00 PM ET and April 10, 2026, 12:00 PM ET.' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  [
    'rules with the time first',
    { description: 'counted from 12:00 PM ET on April 3, 2026 to 12:00 PM ET on April 10' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  [
    'rules with another hour',
    { description: 'between December 1, 2026, 9:30 AM ET and December 3' },
    '2026-12-03T17:00:00Z',
    '2026-12-01T14:30:00Z',
  ],
  [
    'rules over the turn of the year, without a year',
    { description: 'from December 30, 12:00 PM ET to January 6, 12:00 PM ET' },
    '2026-01-06T17:00:00Z',
    '2025-12-30T17:00:00Z',
  ],
  [
    'rules of a month',
    { description: 'posts during the month of May 2026.' },
    '2026-06-01T04:00:00Z',
    '2026-05-01T04:00:00Z',
  ],
  [
    'rules of a month from midnight to midnight',
    { description: 'from November 1, 2026, 12:00 AM ET to December 1, 2026, 12:00 AM ET' },
    '2026-12-01T05:00:00Z',
    '2026-11-01T04:00:00Z',
  ],
  ['a slug', { slug: 'a-of-posts-april-3-april-10' }, '2026-04-10T16:00:00Z', '2026-04-03T16:00:00Z'],
  [
    'a slug with a year',
    { slug: 'a-of-posts-april-3-april-10-2026' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  [
    'a slug with one month and a suffix',
    { slug: 'a-april-11-18-628' },
    '2025-04-18T16:00:00Z',
    '2025-04-11T16:00:00Z',
  ],
  [
    'a slug over the turn of the year',
    { slug: 'a-december-30-january-6' },
    '2026-01-06T17:00:00Z',
    '2025-12-30T17:00:00Z',
  ],
  ['a slug with the dates', { slug: 'a-april-3-april-10' }, '2026-05-10T16:00:00Z', null],
  ['a month slug', { slug: 'a-of-posts-in-september-2026' }, '2026-10-01T04:00:00Z', '2026-09-01T04:00:00Z'],
  ['a month slug of another month', { slug: 'a-of-posts-may-2026' }, '2026-10-01T04:00:00Z', null],
  [
    'a title',
    { title: 'A # posts April 3 - April 10, 2026?' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  [
    'a title with one month',
    { title: 'A # posts April 3–10?' },
    '2026-04-10T16:00:00Z',
    '2026-04-03T16:00:00Z',
  ],
  ['a month title', { title: 'A a # posts in May 2026?' }, '2026-06-01T04:00:00Z', '2026-05-01T04:00:00Z'],
  [
    'the winter month of the clock change',
    { title: 'A in March 2026?' },
    '2026-04-01T04:00:00Z',
    '2026-03-01T05:00:00Z',
  ],
  [
    'the autumn month of the clock change',
    { title: 'A in November 2026?' },
    '2026-12-01T05:00:00Z',
    '2026-11-01T04:00:00Z',
  ],
  [
    'a day that does not exist',
    { description: 'from February 30, 2026, 12:00 PM ET' },
    '2026-03-05T17:00:00Z',
    null,
  ],
  [
    'a start after the end',
    { description: 'from April 12, 2026, 12:00 PM ET' },
    '2026-04-10T16:00:00Z',
    null,
  ],
  ['nothing', {}, '2026-04-10T16:00:00Z', null],
];

describe('windowStart', () => {
  for (const [name, text, endAt, expected] of CASES) {
    it(`reads ${name}`, () => {
      const startAt = windowStart({ ...blank, ...text, endAt: at(endAt) });
      assert.equal(
        startAt === null ? null : new Date(startAt).toISOString(),
        expected && new Date(expected).toISOString(),
      );
    });
  }

  it('makes a week 167 h long over the spring change, 169 h over the autumn one, 168 h else', () => {
    const hours = (slug: string, endAt: string) =>
      (at(endAt) - (windowStart({ ...blank, slug, endAt: at(endAt) }) ?? 0)) / HOUR_MS;
    assert.equal(hours('a-march-6-march-13', '2026-03-13T16:00:00Z'), 167);
    assert.equal(hours('a-october-30-november-6', '2026-11-06T17:00:00Z'), 169);
    assert.equal(hours('a-march-13-march-20', '2026-03-20T16:00:00Z'), 168);
  });

  it('finds noon of the first day for any week of any year, from rules, slug and title alike', () => {
    const day = fc.integer({ min: Date.UTC(2020, 0) / 86_400_000, max: Date.UTC(2035, 0) / 86_400_000 });
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 28 }), (startDay, length) => {
        const first = Temporal.PlainDate.from('1970-01-01').add({ days: startDay });
        const last = first.add({ days: length });
        const noon = (date: Temporal.PlainDate) =>
          date.toZonedDateTime({ timeZone: 'America/New_York', plainTime: '12:00' }).epochMilliseconds;
        const words = (date: Temporal.PlainDate) =>
          date.toLocaleString('en-US', { month: 'long', day: 'numeric' });
        const hyphens = (date: Temporal.PlainDate) => words(date).toLowerCase().replace(' ', '-');
        const endAt = noon(last);
        const description = `from ${words(first)}, ${first.year}, 12:00 PM ET to ${words(last)}, ${last.year}`;
        assert.equal(windowStart({ ...blank, description, endAt }), noon(first));
        assert.equal(
          windowStart({ ...blank, slug: `a-${hyphens(first)}-${hyphens(last)}`, endAt }),
          noon(first),
        );
        assert.equal(
          windowStart({ ...blank, title: `A ${words(first)} - ${words(last)}?`, endAt }),
          noon(first),
        );
      }),
      { numRuns: 60 },
    );
  });
});
