import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountsOf } from '../../../src/world/life/accounts.ts';
import {
  listedAtOf,
  seriesOf,
  textsOf,
  windowIndexAt,
  windowOf,
} from '../../../src/world/market/event-series.ts';
import { HOUR_MS } from '../../../streams/internal.ts';

const SERIES = accountsOf(7, 4).flatMap(seriesOf);
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 31) });
const series = fc.constantFrom(...SERIES);

function hoursAround(at: number, kind: string): number {
  const found = SERIES.find((candidate) => candidate.kind === kind);
  assert.ok(found !== undefined);
  const { startAt, endAt } = windowOf(found, windowIndexAt(found, at));
  return (endAt - startAt) / HOUR_MS;
}

describe('event series', () => {
  it('has a window of every series at any instant', () => {
    fc.assert(
      fc.property(series, instant, (row, at) => {
        const index = windowIndexAt(row, at);
        const { startAt, endAt } = windowOf(row, index);
        return startAt <= at && at < endAt && windowOf(row, index + 1).startAt === endAt;
      }),
    );
  });

  it('lists every window before its count starts', () => {
    fc.assert(
      fc.property(series, instant, (row, at) => {
        const index = windowIndexAt(row, at);
        return listedAtOf(row, index) < windowOf(row, index).startAt;
      }),
    );
  });

  it('makes a week 167 h long in spring and 169 h long in autumn', () => {
    assert.equal(hoursAround(Date.UTC(2026, 2, 8, 12), 'week-friday'), 167);
    assert.equal(hoursAround(Date.UTC(2026, 10, 1, 12), 'week-friday'), 169);
    assert.equal(hoursAround(Date.UTC(2026, 6, 8, 12), 'week-friday'), 168);
    assert.equal(hoursAround(Date.UTC(2026, 2, 20), 'month'), 31 * 24 - 1);
  });

  it('starts weeks on Tuesday and Friday at noon in New York', () => {
    const weeks = SERIES.filter((row) => row.recurrence === 'weekly').map((row) => {
      const { startAt } = windowOf(row, windowIndexAt(row, Date.UTC(2026, 6, 15)));
      return new Date(startAt).toUTCString().slice(0, 22);
    });
    assert.deepEqual([...new Set(weeks)], ['Tue, 14 Jul 2026 16:00', 'Fri, 10 Jul 2026 16:00']);
  });

  it('writes slugs, titles and windows as the market does', () => {
    const at = Date.UTC(2026, 3, 5);
    const words = SERIES.map((row) => textsOf(row, windowOf(row, windowIndexAt(row, at))));
    assert.equal(words[1]?.slug, 'account-a-of-posts-april-3-april-10');
    assert.equal(words[1]?.title, 'Account A # posts April 3 - April 10, 2026?');
    assert.ok(
      words[1]?.description.includes('from April 3, 2026, 12:00 PM ET to April 10, 2026, 12:00 PM ET'),
    );
    assert.equal(words[3]?.slug, 'account-a-of-posts-april-2026');
    assert.ok(words[3]?.description.includes('during the month of April 2026'));
    assert.equal(words[5]?.slug, 'account-b-of-posts-april-3-april-10-2026');
    assert.ok(
      words[5]?.description.includes('between April 3, 2026, 12:00 PM ET and April 10, 2026, 12:00 PM ET'),
    );
  });
});
