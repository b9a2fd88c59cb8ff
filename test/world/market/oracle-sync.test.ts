import assert from 'node:assert/strict';
import fc from 'fast-check';
import { steeringOf } from '../../../src/world/control/overrides.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

function open() {
  const base = testBase();
  return { overrides: base.overrides, sync: createOracleSync(base) };
}

describe('createOracleSync', () => {
  it('runs about every five minutes, 28 to 60 s after the full five', () => {
    const { sync } = open();
    const first = sync.nextAt('a', START_AT);
    const second = sync.nextAt('a', first + 1);
    const offset = first % (5 * MINUTE_MS);
    assert.ok(offset >= 28_000 && offset < 60_000);
    assert.ok(Math.abs(second - first - 5 * MINUTE_MS) < 32_000);
  });

  it('runs within any five minutes for A or for B while neither stalls', () => {
    const { sync } = open();
    for (let at = START_AT - 3 * DAY_MS; at < START_AT + 3 * DAY_MS; at += 20_000) {
      const next = Math.min(sync.nextAt('a', at), sync.nextAt('b', at));
      // Of one account alone, while the other stalls, it may be as late as its own times vary.
      const isStalled = ['a', 'b'].some((id) => sync.nextAt(id, at) - sync.lastAt(id, at) > 6 * MINUTE_MS);
      assert.ok(next - at <= 5 * MINUTE_MS + (isStalled ? 32_000 : 0), new Date(at).toISOString());
    }
  });

  it('finds the last and the next sync around any instant', () => {
    const { sync } = open();
    fc.assert(
      fc.property(fc.integer({ min: START_AT - 60 * DAY_MS, max: START_AT + 60 * DAY_MS }), (at) => {
        const last = sync.lastAt('b', at);
        const next = sync.nextAt('b', at);
        assert.ok(last <= at && at <= next);
        assert.deepEqual([sync.nextAt('b', last), sync.lastAt('b', next)], [last, next]);
        assert.ok(sync.nextAt('b', last + 1) >= at);
      }),
    );
  });

  it('stalls for 20 to 45 minutes on some days and not near the start', () => {
    const { sync } = open();
    const gaps: number[] = [];
    for (let at = START_AT - 30 * DAY_MS; at < START_AT; at = sync.nextAt('a', at + 1)) {
      gaps.push((sync.nextAt('a', at + 1) - at) / MINUTE_MS);
    }
    const stalls = gaps.filter((gap) => gap > 8);
    assert.ok(stalls.length >= 3 && stalls.length <= 20, String(stalls.length));
    assert.ok(
      stalls.every((gap) => gap > 15 && gap < 50),
      String(stalls),
    );
    assert.ok(sync.nextAt('a', START_AT) - START_AT < 6 * MINUTE_MS);
  });

  it('waits for the end of a stall set by hand, and for ever without one', () => {
    const { overrides, sync } = open();
    const stall = { fromAt: START_AT, untilAt: Number.POSITIVE_INFINITY };
    steeringOf(overrides, 'a').stalls.push(stall);
    assert.equal(sync.nextAt('a', START_AT), Number.POSITIVE_INFINITY);
    assert.ok(sync.lastAt('a', START_AT + DAY_MS) < START_AT);
    stall.untilAt = START_AT + 33 * MINUTE_MS;
    const next = sync.nextAt('a', START_AT);
    assert.ok(next >= stall.untilAt && next < stall.untilAt + 6 * MINUTE_MS);
  });

  it('takes a sync made by hand, even inside a stall', () => {
    const { overrides, sync } = open();
    steeringOf(overrides, 'a').stalls.push({ fromAt: START_AT, untilAt: Number.POSITIVE_INFINITY });
    steeringOf(overrides, 'a').syncs.push(START_AT + 1_234);
    assert.equal(sync.nextAt('a', START_AT), START_AT + 1_234);
    assert.equal(sync.lastAt('a', START_AT + DAY_MS), START_AT + 1_234);
  });
});
