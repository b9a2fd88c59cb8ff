import type { TierSimulation } from './any-simulation.ts';
import { CLUSTER_INVARIANTS } from './cluster-invariants.ts';
import { CLUSTER_FAULT_KINDS, clusterHoursUntil, clusterPlan, clusterPlanOf } from './cluster-plan.ts';
import { simulateCluster } from './simulate-cluster.ts';

/** Two engines and two edges on a simulated bus. */
export const clusterSimulation: TierSimulation = {
  invariants: CLUSTER_INVARIANTS,
  faultKinds: CLUSTER_FAULT_KINDS,
  parsePlan: (json) => clusterPlan.parse(json),
  drawPlan: clusterPlanOf,
  hoursUntil: clusterHoursUntil,
  run: ({ plan, ...simulated }, told) =>
    simulateCluster({ ...simulated, plan: clusterPlan.parse(plan), ...told }),
};
