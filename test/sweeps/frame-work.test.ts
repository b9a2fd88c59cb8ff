import assert from 'node:assert/strict';
import { frameWork } from './frame-work.ts';

const PAGE = { pid: 1, tid: 1 };

function task(ts: number, dur: number, more: object = {}) {
  return { name: 'ThreadControllerImpl::RunTask', ph: 'X', ts, dur, tdur: dur / 2, ...PAGE, ...more };
}

function frame(ts: number, more: object = {}) {
  return { name: 'Layerize', ph: 'X', ts, dur: 10, ...PAGE, ...more };
}

describe('frameWork', () => {
  it('adds up the tasks of each frame since the one before, nested ones once, and of no other thread', () => {
    const traceEvents = [
      task(0, 1_000),
      frame(900),
      task(2_000, 3_000),
      task(2_500, 1_000),
      task(2_000, 9_000, { tid: 2 }),
      task(6_000, 4_000),
      frame(9_900),
      task(11_000, 2_000),
      frame(12_900),
      task(14_000, 5_000),
      frame(3_000, { pid: 7 }),
    ];
    const { wallMs, cpuMs } = frameWork(JSON.stringify({ traceEvents }));
    assert.deepEqual(wallMs, [7, 2]);
    assert.deepEqual(cpuMs, [3.5, 1]);
  });

  it('refuses a trace without frames', () => {
    assert.throws(() => frameWork('{"traceEvents":[]}'), /expected frames/);
  });
});
