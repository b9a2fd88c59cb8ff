import assert from 'node:assert/strict';
import { createFrameTimes } from './frame-times.ts';

describe('createFrameTimes', () => {
  function stage() {
    let now = 1_000_000;
    const times = createFrameTimes(() => now);
    return {
      store: (at: number) => times.onKept('feed', 'append', [{ rows: [{ at, seq: 1 }] }]),
      log: (receivedAt: number, aheadMs: number) =>
        times.onKept('journal', 'append', [[{ seq: 1, receivedAt, aheadMs }]]),
      wait(ms: number) {
        now += ms;
      },
      isRecent: (at: number) => times.isRecent({ type: 'update', at }),
      isRecentSnapshot: (at: number) => times.isRecent({ type: 'snapshot', at }),
    };
  }

  it('takes a frame of a moment ago, and none of long ago', () => {
    const { store, wait, isRecent } = stage();
    store(1_000_000);
    wait(5_000);
    assert.ok(isRecent(1_000_000));
    wait(60_000);
    store(1_065_000);
    assert.ok(!isRecent(1_000_000));
    assert.ok(isRecent(1_065_000));
  });

  it('takes no older frame whose time is that of now because its calendar was ahead', () => {
    const { store, wait, isRecent } = stage();
    store(1_072_000);
    assert.ok(!isRecent(1_072_000));
    wait(70_000);
    assert.ok(!isRecent(1_072_000));
  });

  it('takes no frame that waited for the disk, with a time of the log that was far ahead of the calendar', () => {
    const { log, store, isRecent } = stage();
    log(995_000, 14_000);
    store(995_000);
    assert.ok(isRecent(995_000));
    log(996_000, 29_000);
    store(996_000);
    assert.ok(!isRecent(996_000));
  });

  it('takes no frame that waited for the disk, with a time that the log had long before the world', () => {
    const { log, store, wait, isRecent } = stage();
    log(1_010_000, 0);
    log(1_030_000, 0);
    wait(25_000);
    log(1_026_000, 0);
    store(1_026_000);
    assert.ok(isRecent(1_026_000));
    store(1_030_000);
    assert.ok(!isRecent(1_030_000));
  });

  it('takes a snapshot that is made now, unless the calendar is wrong', () => {
    const { isRecentSnapshot } = stage();
    assert.ok(isRecentSnapshot(1_001_000));
    assert.ok(!isRecentSnapshot(1_072_000));
  });
});
