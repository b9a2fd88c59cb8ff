import assert from 'node:assert/strict';
import { agesNow } from '../../src/views/as-of.ts';
import { createLatest } from '../../src/views/latest.ts';
import { manualClock } from '../support/clock.ts';
import { freshnessOutput, NOON } from '../support/outputs.ts';

describe('agesNow', () => {
  it('adds the time since the last tick and is empty before the first', () => {
    const latest = createLatest();
    assert.deepEqual(agesNow(latest, NOON), {});
    latest.load([freshnessOutput({ prices: 10 }, { at: NOON })]);
    assert.deepEqual(agesNow(latest, NOON + 7), { prices: 17 });
    assert.deepEqual(agesNow(latest, NOON - 7), { prices: 10 });
  });

  it('goes by the clock of the machine where the calendar is faster', () => {
    const latest = createLatest(undefined, { speed: 60 });
    latest.load([freshnessOutput({ prices: 10 }, { at: NOON })]);
    assert.deepEqual(agesNow(latest, NOON + 60_000), { prices: 1_010 });
  });

  it('adds what has passed since the last tick where the calendar is behind it', () => {
    const clock = manualClock(NOON);
    const latest = createLatest(undefined, clock);
    latest.load([freshnessOutput({ prices: 10 }, { at: NOON })]);
    latest.ticked(2_000);
    clock.step(-3_600_000);
    assert.deepEqual(agesNow(latest, clock.wall()), { prices: 2_010 });
    clock.advance(5_000);
    assert.deepEqual(agesNow(latest, clock.wall()), { prices: 7_010 });
    latest.apply([freshnessOutput({ prices: 3 }, { at: NOON })], 2, clock.wall());
    latest.ticked(0);
    assert.deepEqual(agesNow(latest, clock.wall()), { prices: 3 });
  });
});
