import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { clockHour, hourOfWeek, hoursOfWeek } from '../../../../streams/model/forecast/new-york.ts';

const HOUR_MS = 3_600_000;

function inNewYork(at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('America/New_York');
}

function assertSame(at: number): void {
  const expected = inNewYork(at);
  assert.equal(clockHour(at), expected.hour, expected.toString());
  const weekday = Math.floor(hourOfWeek(Math.floor(at / HOUR_MS)) / 24);
  assert.equal(weekday, expected.dayOfWeek - 1, expected.toString());
}

describe('new york', () => {
  it('shows the same hour and weekday as a time zone database from 2017 to 2035', () => {
    const times = fc.integer({ min: Date.UTC(2017, 0, 1), max: Date.UTC(2035, 11, 31) });
    fc.assert(fc.property(times, assertSame), { numRuns: 2_000 });
  });

  it('changes its clock in the right hour of every year', () => {
    for (let year = 2017; year <= 2035; year++) {
      for (const [month, firstDay] of [
        [2, 8],
        [10, 1],
      ] as const) {
        const from = Date.UTC(year, month, firstDay);
        for (let hour = 0; hour < 8 * 24; hour++) assertSame(from + hour * HOUR_MS);
      }
      for (let hour = -36; hour < 36; hour++) assertSame(Date.UTC(year, 0, 1) + hour * HOUR_MS);
    }
  });

  it('counts hours in a row as one by one', () => {
    const from = Math.floor(Date.UTC(2023, 11, 1) / HOUR_MS);
    const hours = hoursOfWeek(from, 2 * 8_784);
    assert.deepEqual(
      [...hours],
      Array.from(hours, (_, index) => hourOfWeek(from + index)),
    );
  });
});
