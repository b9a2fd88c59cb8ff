import assert from 'node:assert/strict';
import { createWatermarks } from '../../src/engine/watermarks.ts';
import { manualClock } from '../support/clock.ts';

describe('watermarks', () => {
  it('give the time since the last good answer, by name in order', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('posts:b');
    clock.advance(700);
    watermarks.mark('events');
    clock.advance(50);
    assert.equal(JSON.stringify(watermarks.ages().ages), '{"events":50,"posts:b":750}');
  });

  it('give the age of what an answer knows, when that is older than the answer', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('posts:a', 1_000_000 - 200_000);
    watermarks.mark('posts:b', 1_000_000 + 5_000);
    clock.advance(50);
    assert.deepEqual(watermarks.ages().ages, { 'posts:a': 200_050, 'posts:b': 50 });
  });

  it('have no age for a source that never answered', () => {
    assert.deepEqual(createWatermarks(manualClock(0)).ages(), { ages: {} });
  });

  it('do not jump when the calendar is corrected', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('events');
    clock.advance(500);
    for (const step of [3_600_000, -86_400_000, 1_000]) {
      clock.step(step);
      assert.deepEqual(watermarks.ages().ages, { events: 500 });
    }
  });

  it('go on ageing across a restart', () => {
    const clock = manualClock(2_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.restore({ ages: { events: 400 } }, 2_000_000 - 60_000);
    clock.advance(100);
    assert.deepEqual(watermarks.ages().ages, { events: 60_500 });
  });
});
