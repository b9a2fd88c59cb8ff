import assert from 'node:assert/strict';
import { paced } from '../../../src/dashboard/state/pace.ts';

/** Time that stands still until it is told to go on, with a frame each 16 ms. */
function stage() {
  let now = 0;
  let due: { readonly at: number; readonly run: () => void }[] = [];
  const put = (at: number, run: () => void) => due.push({ at, run });
  return {
    now: () => now,
    later: (run: () => void, ms: number) => void put(now + ms, run),
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

describe('paced', () => {
  it('runs before the next frame, and the next one only after the gap', () => {
    const time = stage();
    const run = paced(100, time);
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
