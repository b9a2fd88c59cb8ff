import assert from 'node:assert/strict';
import { agesNow } from '../../src/views/as-of.ts';
import { createLatest } from '../../src/views/latest.ts';
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
    const latest = createLatest(undefined, 60);
    latest.load([freshnessOutput({ prices: 10 }, { at: NOON })]);
    assert.deepEqual(agesNow(latest, NOON + 60_000), { prices: 1_010 });
  });
});
