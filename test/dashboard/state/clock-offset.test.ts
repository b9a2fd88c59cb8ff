import assert from 'node:assert/strict';
import { createClockOffset } from '../../../src/dashboard/state/clock-offset.ts';

describe('createClockOffset', () => {
  it('uses the heartbeat that was fastest on its way', () => {
    const offset = createClockOffset();
    assert.equal(offset.update(1_000_000, 999_950), 50);
    assert.equal(offset.update(1_001_000, 1_001_700), 50);
    assert.equal(offset.update(1_002_000, 1_001_930), 70);
  });

  it('follows a clock that was set: ahead at once, back when the old heartbeats are dropped', () => {
    const offset = createClockOffset();
    for (let second = 0; second < 20; second++) offset.update(second * 1_000, second * 1_000 + 10);
    assert.equal(offset.update(20_000, 20_010 - 300_000), 299_990);
    for (let second = 21; second < 30; second++) offset.update(second * 1_000, second * 1_000 + 10);
    assert.equal(offset.update(30_000, 30_010), -10);
  });
});
