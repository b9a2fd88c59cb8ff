import assert from 'node:assert/strict';
import { steadyClock } from '../../../src/access/limits/steady-clock.ts';
import { manualClock } from '../../support/clock.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('steadyClock', () => {
  it('goes on evenly through steps of the system clock', () => {
    const clock = manualClock(NOON);
    const now = steadyClock(clock);
    clock.advance(1_000);
    clock.step(-86_400_000);
    clock.advance(500);
    clock.step(3_600_000);
    assert.equal(now(), NOON + 1_500);
  });
});
