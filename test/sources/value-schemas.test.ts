import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { anyInstant } from '../../src/sources/value-schemas.ts';

const EARLIEST = Date.UTC(1, 0);
const LATEST = Date.UTC(9999, 0);

/** Parts of an instant, most of them in range, some just outside of it. */
const written = fc
  .record({
    year: fc.integer({ min: 0, max: 9_999 }),
    month: fc.integer({ min: 0, max: 13 }),
    day: fc.integer({ min: 0, max: 32 }),
    hour: fc.integer({ min: 0, max: 25 }),
    minute: fc.integer({ min: 0, max: 61 }),
    second: fc.integer({ min: 0, max: 61 }),
    fraction: fc.constantFrom('', '.1', '.12', '.123', '.1234', '.123456789', '.', ',5'),
    zone: fc.constantFrom('Z', 'z', '', '+00:00', '-05:30', ' Z'),
    between: fc.constantFrom('T', 't', ' ', ''),
  })
  .map(({ year, month, day, hour, minute, second, fraction, zone, between }) => {
    const two = (part: number) => String(part).padStart(2, '0');
    const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    return `${date}${between}${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}`;
  });

function read(text: string): number | undefined {
  const result = anyInstant.safeParse(text);
  return result.success ? result.data : undefined;
}

function asTheStandardSays(text: string): number | undefined {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

describe('an instant of a foreign payload', () => {
  it('is read as it is usually written, with or without milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: EARLIEST, max: LATEST }), (at) => {
        const text = new Date(at).toISOString();
        assert.equal(read(text), at);
        assert.equal(read(text.replace(/\.\d{3}Z$/, 'Z')), at - (((at % 1_000) + 1_000) % 1_000));
      }),
    );
  });

  it('is read or refused as the standard says, however it is written', () => {
    fc.assert(
      fc.property(written, (text) => {
        assert.equal(read(text), asTheStandardSays(text), text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused on days that do not exist', () => {
    for (const text of ['2026-02-29T00:00:00Z', '2026-02-30T00:00:00.000Z', '2026-04-31T12:00:00.000Z'])
      assert.equal(read(text), undefined, text);
    assert.equal(read('2028-02-29T00:00:00Z'), Date.UTC(2028, 1, 29));
  });

  it('is refused at hours that do not exist, and read in the leap second', () => {
    assert.equal(read('2026-01-01T24:00:00.000Z'), undefined);
    assert.equal(read('2016-12-31T23:59:60Z'), Date.UTC(2016, 11, 31, 23, 59, 59));
  });
});
