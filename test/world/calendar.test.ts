import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import {
  clockText,
  isoMicros,
  isoSeconds,
  momentText,
  newYorkAt,
  newYorkTime,
  noonDayBefore,
} from '../../src/world/calendar.ts';

const instant = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2029, 0, 1) });

describe('calendar', () => {
  it('gives New York time as the time zone rules do', () => {
    const wanted = (at: number) => {
      const { year, month, day, hour } =
        Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('America/New_York');
      return { year, month, day, hour };
    };
    fc.assert(
      fc.property(instant, (at) => assert.deepEqual(newYorkTime(at), wanted(at))),
      { numRuns: 200 },
    );
    for (const change of [Date.UTC(2026, 2, 8, 6), Date.UTC(2026, 10, 1, 4)]) {
      for (let at = change; at < change + 8 * 3_600_000; at += 1_800_000)
        assert.deepEqual(newYorkTime(at), wanted(at));
    }
  });

  it('finds the noon before any instant', () => {
    fc.assert(
      fc.property(instant, (at) => {
        const day = noonDayBefore(at);
        return newYorkAt(day, 12) <= at && newYorkAt(day + 1, 12) > at;
      }),
    );
  });

  it('writes moments and clocks', () => {
    assert.equal(momentText(Date.UTC(2026, 3, 3, 16)), 'April 3, 2026, 12:00 PM ET');
    assert.equal(momentText(Date.UTC(2026, 4, 1, 4)), 'May 1, 2026, 12:00 AM ET');
    assert.deepEqual([0, 1, 12, 23].map(clockText), ['12:00 AM', '1:00 AM', '12:00 PM', '11:00 PM']);
    assert.equal(isoSeconds(Date.UTC(2026, 3, 10, 16)), '2026-04-10T16:00:00Z');
    assert.match(isoMicros(Date.UTC(2026, 3, 10, 16, 0, 0, 123)), /^2026-04-10T16:00:00\.123\d{3}Z$/);
  });
});
