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
  [
    'rules with an abbreviated month',
    { description: 'posts from Nov 28, 12:00 PM ET to Dec 5, 2025, 12:00 PM ET.' },
    '2025-12-05T17:00:00Z',
    '2025-11-28T17:00:00Z',
  ],
  [
    'rules with dots behind month and time',
    { description: 'posts between Sept. 4, 2026, 9:30 a.m. ET and Sept. 11, 2026, 9:30 a.m. ET' },
    '2026-09-11T13:30:00Z',
    '2026-09-04T13:30:00Z',
  ],
  [
    'rules with the time first and an abbreviated month',
    { description: 'counted from 12:00 P.M. ET on NOV. 28 to 12:00 P.M. ET on DEC. 5' },
    '2025-12-05T17:00:00Z',
    '2025-11-28T17:00:00Z',
  ],
  [
    'rules of an abbreviated month',
    { description: 'posts during Dec. 2026.' },
    '2027-01-01T05:00:00Z',
    '2026-12-01T05:00:00Z',
  ],
  [
    'rules with a word that only begins like a month',
    { description: 'posts from Marble 3, 2026, 12:00 PM ET to Decade 10' },
    '2026-04-10T16:00:00Z',
    null,
  ],
  [
    'a slug with abbreviated months',
    { slug: 'a-nov-28-dec-5' },
    '2025-12-05T17:00:00Z',
    '2025-11-28T17:00:00Z',
  ],
  [
    'an abbreviated month slug',
    { slug: 'a-of-posts-sept-2026' },
    '2026-10-01T04:00:00Z',
    '2026-09-01T04:00:00Z',
  ],
  [
    'a title with abbreviated months',
    { title: 'A # posts Nov. 28 - Dec. 5?' },
    '2025-12-05T17:00:00Z',
    '2025-11-28T17:00:00Z',
  ],
  [
    'a month title that is abbreviated',
    { title: 'A # posts in Sep?' },
    '2026-10-01T04:00:00Z',
    '2026-09-01T04:00:00Z',
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

  it('finds noon of the first day for any week of any year, from rules, slug and title alike, however months are written', () => {
    const day = fc.integer({ min: Date.UTC(2020, 0) / 86_400_000, max: Date.UTC(2035, 0) / 86_400_000 });
    const names = fc.constantFrom<(month: string) => string>(
      (month) => month,
      (month) => month.slice(0, 3),
      (month) => `${month.slice(0, 3)}.`,
      (month) => (month === 'September' ? 'Sept' : month.slice(0, 3)),
      (month) => (month === 'September' ? 'Sept.' : month),
    );
    const cases = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toLowerCase(),
      (text) => text.toUpperCase(),
    );
    const times = fc.constantFrom('12:00 PM', '12 PM', '12:00 p.m.', '12pm', 'noon');
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 1, max: 28 }),
        names,
        cases,
        times,
        (startDay, length, nameOf, inCase, time) => {
          const first = Temporal.PlainDate.from('1970-01-01').add({ days: startDay });
          const last = first.add({ days: length });
          const noon = (date: Temporal.PlainDate) =>
            date.toZonedDateTime({ timeZone: 'America/New_York', plainTime: '12:00' }).epochMilliseconds;
          const words = (date: Temporal.PlainDate) =>
            inCase(`${nameOf(date.toLocaleString('en-US', { month: 'long' }))} ${date.day}`);
          const hyphens = (date: Temporal.PlainDate) =>
            words(date).toLowerCase().replace(' ', '-').replace('.', '');
          const endAt = noon(last);
          const texts = [
            {
              description: `from ${words(first)}, ${first.year}, ${time} ET to ${words(last)}, ${last.year}`,
            },
            { description: `between ${words(first)}, ${time} ET and ${words(last)}, ${time} ET` },
            { description: `from ${time} ET on ${words(first)} to ${time} ET on ${words(last)}` },
            { slug: `a-${hyphens(first)}-${hyphens(last)}` },
            { title: `A ${words(first)} - ${words(last)}?` },
          ];
          for (const text of texts) {
            assert.equal(windowStart({ ...blank, ...text, endAt }), noon(first), JSON.stringify(text));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives a start before the end and at most 32 days earlier, or none, for any text', () => {
    const word = fc.constantFrom(
      ...[
        'from',
        'between',
        'during',
        'in',
        'the month of',
        'Nov',
        'nov.',
        'March',
        'sept',
        'may',
        '3',
        '28',
        '31,',
      ],
      ...['2026', '2026,', '12:00 PM', '9 a.m.', 'ET', 'noon', 'to', '-', 'on', 'at', '0', '99'],
    );
    const text = fc.array(word, { maxLength: 12 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 365 }), (words, dayOfYear) => {
        const endAt = Date.UTC(2026, 0, 1, 17) + dayOfYear * 24 * HOUR_MS;
        const description = words.join(' ');
        const startAt = windowStart({ description, slug: words.join('-'), title: description, endAt });
        assert.ok(startAt === null || (startAt < endAt && endAt - startAt <= 32 * 24 * HOUR_MS));
      }),
      { numRuns: 500 },
    );
  });
});
