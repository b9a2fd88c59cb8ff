import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createdAtOf, snowflake } from '../../../src/world/life/snowflake.ts';
import { compareIds } from '../../../streams/internal.ts';

const instant = fc.integer({ min: Date.UTC(2012, 0, 1), max: Date.UTC(2040, 0, 1) });

describe('snowflake', () => {
  it('keeps the ms inside the id', () => {
    fc.assert(fc.property(instant, (createdAt) => createdAtOf(snowflake(createdAt, 'a')) === createdAt));
  });

  it('orders ids as their instants, whatever their length', () => {
    fc.assert(
      fc.property(instant, instant, (left, right) => {
        const order = Math.sign(compareIds(snowflake(left, 'a'), snowflake(right, 'a')));
        return order === Math.sign(left - right);
      }),
    );
  });

  it('reads a recorded id', () => {
    assert.equal(
      new Date(createdAtOf('2042236486666396018')).toISOString().slice(0, 19),
      '2026-04-09T13:41:35',
    );
  });
});
