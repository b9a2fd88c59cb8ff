import assert from 'node:assert/strict';
import { createHeldRecords } from './held-records.ts';
import { createViolations } from './violations.ts';

const PATH = '/api/v1/meta/account_a';

function stage() {
  let at = 0;
  const violations = createViolations(() => at);
  const held = createHeldRecords({ followingMs: () => 5_000, now: () => at, violations });
  const place = { channel: 'counters', account: 'account_a' };
  return {
    wait(ms: number) {
      at += ms;
    },
    snapshot: (...data: readonly object[]) => held.onFrame({ ...place, type: 'snapshot', data }),
    update: (key: string, data: object | null) => held.onFrame({ ...place, type: 'update', key, data }),
    isHeld(...data: readonly object[]) {
      held.check(PATH, JSON.stringify({ timestamp: 1, data }));
      return violations.found.length === 0;
    },
  };
}

describe('createHeldRecords', () => {
  it('takes what is the same apart from ages and the time left, whatever the order of its fields', () => {
    const { snapshot, update, wait, isHeld } = stage();
    snapshot({ event_id: 1, real_counter: 3, as_of: { seq: 1 } }, { event_id: 2, real_counter: 7 });
    update('1', { event_id: 1, real_counter: 4, seconds_remaining: 9 });
    wait(60_000);
    assert.ok(isHeld({ real_counter: 4, event_id: 1, as_of: { seq: 5 } }, { event_id: 2, real_counter: 7 }));
  });

  it('takes a record that was replaced a moment ago, and no older one', () => {
    const { snapshot, update, wait, isHeld } = stage();
    snapshot({ event_id: 1, real_counter: 3 });
    wait(60_000);
    update('1', { event_id: 1, real_counter: 4 });
    assert.ok(isHeld({ event_id: 1, real_counter: 3 }));
    wait(60_000);
    update('1', { event_id: 1, real_counter: 5 });
    update('1', { event_id: 1, real_counter: 6 });
    assert.ok(!isHeld({ event_id: 1, real_counter: 3 }));
  });

  it('takes one between two records, as a frame may join changes, and no other', () => {
    const { snapshot, update, wait, isHeld } = stage();
    snapshot({ event_id: 1, real_counter: 3, velocity: 7 });
    wait(1_000);
    update('1', { event_id: 1, real_counter: 4, velocity: 6 });
    assert.ok(isHeld({ event_id: 1, real_counter: 4, velocity: 7 }));
    wait(1_000);
    update('1', { event_id: 1, real_counter: 5, velocity: 6 });
    assert.ok(!isHeld({ event_id: 1, real_counter: 5, velocity: 7 }));
  });

  it('takes one of a seq between those of two records, whatever it has, and none of a later seq', () => {
    const { snapshot, update, wait, isHeld } = stage();
    snapshot({ event_id: 1, real_counter: 3, as_of: { seq: 10 } });
    wait(1_000);
    update('1', { event_id: 1, real_counter: 5, as_of: { seq: 12 } });
    assert.ok(isHeld({ event_id: 1, real_counter: 4, as_of: { seq: 11 } }));
    assert.ok(!isHeld({ event_id: 1, real_counter: 6, as_of: { seq: 13 } }));
  });

  it('finds a record that the reader lacks, or has otherwise', () => {
    const missing = stage();
    missing.snapshot({ event_id: 1, real_counter: 3 });
    assert.ok(!missing.isHeld({ event_id: 1, real_counter: 3 }, { event_id: 2, real_counter: 1 }));
    const other = stage();
    other.snapshot({ event_id: 1, real_counter: 3 });
    assert.ok(!other.isHeld({ event_id: 1, real_counter: 4 }));
  });

  it('finds a record that only the reader has, unless it is gone there too', () => {
    const kept = stage();
    kept.snapshot({ event_id: 1 }, { event_id: 2 });
    kept.wait(60_000);
    assert.ok(!kept.isHeld({ event_id: 1 }));
    const gone = stage();
    gone.snapshot({ event_id: 1 }, { event_id: 2 });
    gone.update('2', null);
    gone.wait(60_000);
    assert.ok(gone.isHeld({ event_id: 1 }));
  });
});
