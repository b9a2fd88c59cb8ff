import assert from 'node:assert/strict';
import {
  CALM_MS,
  CLUSTER_FAULT_KINDS,
  clusterHoursUntil,
  clusterPlan,
  clusterPlanOf,
  ROUND_MS,
} from './cluster-plan.ts';

const HOUR_MS = 3_600_000;

describe('clusterPlanOf', () => {
  it('draws the same faults for the same seed, and others for another', () => {
    assert.deepEqual(clusterPlanOf(7, 1), clusterPlanOf(7, 1));
    assert.notDeepEqual(clusterPlanOf(7, 1), clusterPlanOf(8, 1));
  });

  it('draws every kind for some seeds and leaves it out for others, and can be read back from JSON', () => {
    const plans = Array.from({ length: 40 }, (_, seed) => clusterPlanOf(seed, 1));
    for (const kind of CLUSTER_FAULT_KINDS) {
      const having = plans.filter((each) => each.some((fault) => fault.kind === kind));
      assert.ok(having.length > 0 && having.length < plans.length, `${kind} in ${having.length}`);
    }
    for (const each of plans) assert.deepEqual(clusterPlan.parse(JSON.parse(JSON.stringify(each))), each);
  });

  it('leaves the end of every round in peace', () => {
    for (let seed = 0; seed < 20; seed++)
      for (const { at } of clusterPlanOf(seed, 0.5)) assert.ok(at % ROUND_MS <= ROUND_MS - CALM_MS, `${at}`);
  });
});

describe('clusterHoursUntil', () => {
  it('leaves time for what follows a fault, and for everything to be whole again', () => {
    for (const at of [0, 1, 90_000, ROUND_MS - CALM_MS, ROUND_MS, ROUND_MS + 1, 5 * ROUND_MS + 200_000]) {
      const end = clusterHoursUntil(at) * HOUR_MS;
      assert.ok(end - at >= CALM_MS - 1, `${at} in ${end}`);
      assert.ok(end - at <= ROUND_MS, `${at} in ${end}`);
    }
  });
});
