import assert from 'node:assert/strict';
import { createCallQuota } from './call-quota.ts';
import { createViolations } from './violations.ts';

const HOUR_MS = 3_600_000;

function stage() {
  let at = 0;
  const violations = createViolations(() => at);
  const quota = createCallQuota({ now: () => at, violations });
  return {
    quota,
    /** Lets time pass, in which the disk keeps something each second. */
    pass(ms: number) {
      for (const end = at + ms; at < end; ) {
        at = Math.min(end, at + 1_000);
        quota.onKept();
      }
    },
    freeze(ms: number) {
      at += ms;
    },
    call(times: number, status = 200, tier: 'FREE' | 'INTERNAL' = 'FREE') {
      for (let n = 0; n < times; n++) quota.onAnswer({ tier, status, askedAt: at, answeredAt: at });
    },
    isRight: () => violations.found.length === 0,
  };
}

describe('createCallQuota', () => {
  it('lets a hundred calls be, whatever else is refused, unchanged, or of somebody without a limit', () => {
    const { call, isRight } = stage();
    call(100);
    call(5, 429);
    call(5, 304);
    call(5, 503);
    call(500, 200, 'INTERNAL');
    assert.ok(isRight());
    call(1);
    assert.ok(!isRight());
  });

  it('counts any 3,600 s, not those of the clock', () => {
    const { call, pass, isRight } = stage();
    call(50);
    pass(HOUR_MS - 1_000);
    call(50);
    pass(1_000);
    call(50);
    assert.ok(isRight());
    call(1);
    assert.ok(!isRight());
  });

  it('lets a kill forget the last second, and no more', () => {
    const late = stage();
    late.pass(1_000);
    late.call(100);
    late.pass(500);
    late.quota.onKill();
    late.call(100);
    assert.ok(late.isRight());

    const early = stage();
    early.pass(1_000);
    early.call(100);
    early.pass(10_000);
    early.quota.onKill();
    early.call(1);
    assert.ok(!early.isRight());
  });

  it('lets a kill forget what a disk that took nothing could not keep', () => {
    const { quota, call, pass, freeze, isRight } = stage();
    pass(1_000);
    call(100);
    freeze(60_000);
    quota.onKill();
    call(100);
    assert.ok(isRight());
  });
});
