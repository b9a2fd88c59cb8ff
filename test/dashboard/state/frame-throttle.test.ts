import assert from 'node:assert/strict';
import { throttleToFrames } from '../../../src/dashboard/state/frame-throttle.ts';

/** Time that advances by `goTo` alone, with a frame each 16 ms. */
function virtualTime() {
  let now = 0;
  let due: { readonly at: number; readonly run: () => void }[] = [];
  const put = (at: number, run: () => void) => due.push({ at, run });
  return {
    now: () => now,
    after: (ms: number, run: () => void) => void put(now + ms, run),
    beforeFrame: (run: () => void) => void put(Math.floor(now / 16 + 1) * 16, run),
    goTo(at: number) {
      while (now < at) {
        now += 1;
        const ripe = due.filter((each) => each.at <= now);
        due = due.filter((each) => each.at > now);
        for (const { run } of ripe) run();
      }
    },
  };
}

describe('throttleToFrames', () => {
  it('runs before the next frame, and the next time only after the gap', () => {
    const time = virtualTime();
    const run = throttleToFrames(100, time);
    const ranAt: number[] = [];
    const note = () => ranAt.push(time.now());
    time.goTo(5);
    run(note);
    time.goTo(20);
    run(note);
    time.goTo(400);
    run(note);
    time.goTo(500);
    assert.deepEqual(ranAt, [16, 128, 416]);
  });
});
