import assert from 'node:assert/strict';
import { createBadHours, FAULT_KINDS, faultsEndOf, plan, planOf, planOfDays } from './plan.ts';

const HOUR_MS = 3_600_000;

describe('planOf', () => {
  it('draws the same faults for the same seed, and others for another', () => {
    assert.deepEqual(planOf(7, 3), planOf(7, 3));
    assert.notDeepEqual(planOf(7, 3), planOf(8, 3));
  });

  it('draws the faults of an hour whatever follows it', () => {
    assert.deepEqual(
      planOf(7, 3).filter(({ at }) => at < HOUR_MS),
      planOf(7, 1),
    );
  });

  it('draws every kind for some seeds and leaves it out for others, and can be read back from JSON', () => {
    const plans = Array.from({ length: 40 }, (_, seed) => planOf(seed, 2));
    for (const kind of FAULT_KINDS) {
      const having = plans.filter((each) => each.some((fault) => fault.kind === kind));
      assert.ok(having.length > 0 && having.length < plans.length, `${kind} in ${having.length}`);
    }
    for (const each of plans) assert.deepEqual(plan.parse(JSON.parse(JSON.stringify(each))), each);
  });

  it('leaves the end of every hour, and the first minutes, in peace', () => {
    for (let seed = 0; seed < 20; seed++)
      for (const hours of [0.5, 3, 3.2])
        for (const { at } of planOf(seed, hours)) {
          const hour = Math.floor(at / HOUR_MS);
          assert.ok(at > 60_000 && at <= faultsEndOf(hour, hours), `${at} of ${hours}`);
        }
  });
});

describe('planOfDays', () => {
  it('has the faults of the first hour, and those of one hour of each further two days', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const days = planOfDays(seed, 192);
      assert.deepEqual(
        days.filter(({ at }) => at < HOUR_MS),
        planOf(seed, 1),
      );
      const hours = new Set(days.map(({ at }) => Math.floor(at / HOUR_MS)));
      assert.deepEqual(
        [...hours].map((hour) => Math.floor(hour / 48)),
        [0, 1, 2, 3],
      );
      const isBadHour = createBadHours(days);
      for (let hour = 0; hour < 192; hour++) assert.equal(isBadHour(hour), hours.has(hour));
    }
  });
});
