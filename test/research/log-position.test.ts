import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isReached, parseLogPosition } from '../../src/research/log-position.ts';

describe('parseLogPosition', () => {
  const readable: [string, ReturnType<typeof parseLogPosition>][] = [
    ['seq:12', { by: 'seq', seq: 12 }],
    ['1767225600000', { by: 'time', at: 1_767_225_600_000 }],
    ['2026-01-01', { by: 'time', at: 1_767_225_600_000 }],
    ['2026-01-01T01:00:00+01:00', { by: 'time', at: 1_767_225_600_000 }],
    ['2026-01-01T00:00:00.500Z', { by: 'time', at: 1_767_225_600_500 }],
  ];
  for (const [text, position] of readable) {
    it(`reads ${text}`, () => assert.deepEqual(parseLogPosition(text), position));
  }

  // Without a zone a time would depend on the machine that reads it.
  for (const text of [
    '',
    'seq:',
    'seq:-1',
    'seq:1.5',
    'yesterday',
    '2026-13-01',
    '2026-01-01T00:00:00',
    '-5',
    '1e9',
  ]) {
    it(`refuses "${text}"`, () => assert.equal(parseLogPosition(text), undefined));
  }

  it('reads back any instant it is given', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), (date) => {
        assert.deepEqual(parseLogPosition(date.toISOString()), { by: 'time', at: date.getTime() });
      }),
    );
  });
});

describe('isReached', () => {
  it('counts the position itself as reached', () => {
    const observation = { seq: 5, receivedAt: 1_000 };
    assert.equal(isReached({ by: 'seq', seq: 5 }, observation), true);
    assert.equal(isReached({ by: 'seq', seq: 6 }, observation), false);
    assert.equal(isReached({ by: 'time', at: 1_000 }, observation), true);
    assert.equal(isReached({ by: 'time', at: 1_001 }, observation), false);
  });
});
