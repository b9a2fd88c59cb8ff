import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addCalls,
  dropOver,
  emptyLedgerHour,
  freeAt,
  takeCalls,
} from '../../../../src/access/limits/grants/ledger-hour.ts';
import { HOUR_MS } from '../../../../streams/internal.ts';

const START = Date.UTC(2026, 0, 1, 12);

describe('a ledger hour', () => {
  it('counts calls that come in any order, each for an hour', () => {
    const anyCalls = fc.array(fc.tuple(fc.nat({ max: 2 * HOUR_MS }), fc.integer({ min: 1, max: 9 })));
    fc.assert(
      fc.property(anyCalls, fc.nat({ max: 4 * HOUR_MS }), (calls, passed) => {
        const hour = emptyLedgerHour();
        for (const [at, count] of calls) addCalls(hour, START + at, count);
        dropOver(hour, START + passed);
        const expected = calls.reduce((sum, [at, count]) => sum + (at > passed - HOUR_MS ? count : 0), 0);
        assert.equal(hour.used, expected);
        assert.equal(
          hour.counts.reduce((sum, count) => sum + count, 0),
          expected,
        );
        assert.deepEqual(
          hour.times,
          [...new Set(hour.times)].sort((a, b) => a - b),
        );
      }),
    );
  });

  it('takes calls away at their time, or from the last times before it', () => {
    const hour = emptyLedgerHour();
    addCalls(hour, START, 2);
    addCalls(hour, START + 10, 3);
    addCalls(hour, START + 20, 1);
    takeCalls(hour, START + 15, 4);
    assert.deepEqual(hour, { times: [START, START + 20], counts: [1, 1], used: 2 });
    takeCalls(hour, START - 1, 5);
    takeCalls(hour, START + 20, 1);
    assert.deepEqual(hour, { times: [START], counts: [1], used: 1 });
  });

  it('says when fewer calls than the limit count', () => {
    const hour = emptyLedgerHour();
    assert.equal(freeAt(hour, 2, START), START);
    addCalls(hour, START, 1);
    addCalls(hour, START + 10, 2);
    assert.equal(freeAt(hour, 4, START + 20), START + 20);
    assert.equal(freeAt(hour, 3, START + 20), START + HOUR_MS);
    assert.equal(freeAt(hour, 2, START + 20), START + 10 + HOUR_MS);
    assert.equal(freeAt(hour, 0, START + 20), START + 20 + HOUR_MS);
  });
});
