import assert from 'node:assert/strict';
import fc from 'fast-check';
import { spedUp } from '../../src/resilience/sped-up.ts';

describe('spedUp', () => {
  it('shows the same at its beginning, and runs as many times as fast from then on', () => {
    const instant = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(instant, fc.nat(1e9), fc.integer({ min: 1, max: 600 }), (fromAt, passedMs, speed) => {
        let at = fromAt;
        const now = spedUp(() => at, fromAt, speed);
        assert.equal(now(), fromAt);
        at += passedMs;
        assert.equal(now(), fromAt + passedMs * speed);
      }),
    );
  });
});
