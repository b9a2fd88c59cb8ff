import assert from 'node:assert/strict';
import fc from 'fast-check';
import { timeOfText } from '../../src/research/time-text.ts';

const AT = Date.UTC(2026, 0, 31, 10, 0, 0, 123);

describe('times in files', () => {
  it('reads ISO 8601 in the spellings that programs write', () => {
    for (const text of [
      '2026-01-31T10:00:00.123Z',
      '2026-01-31 10:00:00.123456+00:00',
      '2026-01-31 10:00:00.123+00',
      '2026-01-31 10:00:00.123 UTC',
      '2026-01-31T05:00:00.123-05:00',
      '2026-01-31T15:30:00.123+0530',
    ])
      assert.equal(timeOfText(text), AT, text);
    assert.equal(timeOfText('2026-01-31T10:00Z'), AT - 123);
    assert.equal(timeOfText('2026-01-31'), Date.UTC(2026, 0, 31));
  });

  it('reads ms and seconds since 1970', () => {
    assert.equal(timeOfText(String(AT)), AT);
    assert.equal(timeOfText('1769853600'), AT - 123);
    assert.equal(timeOfText('1769853600.123'), AT);
    assert.equal(timeOfText('0'), 0);
  });

  it('refuses what has no zone, does not exist, or is no time', () => {
    for (const text of [
      '2026-01-31T10:00:00',
      '2026-02-30',
      '2026-02-30T10:00:00Z',
      '2026-01-31T25:00:00Z',
      '1769853600123456',
      '-5',
      'soon',
      '',
      '31/01/2026',
    ])
      assert.equal(timeOfText(text), undefined, text);
  });

  it('reads any instant as it was written', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1e11, max: 4e12 }), (at) => {
        assert.equal(timeOfText(new Date(at).toISOString()), at);
        assert.equal(timeOfText(String(at)), at);
      }),
    ));
});
