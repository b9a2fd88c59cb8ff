import type { AnyTier, TierSimulation } from './any-simulation.ts';
import { FAULT_KINDS, hoursUntil, planOf, planOfDays, plan as planShape } from './plan.ts';
import { simulate } from './simulate.ts';
import type { Tier } from './tier.ts';
import { INVARIANTS } from './violations.ts';

const TIERS = ['sparse', 'dense', 'cluster'] as const;

/** The tier of this name. */
export function tierNamed(name: string): AnyTier {
  const tier = TIERS.find((each) => each === name);
  if (tier === undefined) throw new RangeError(`--tier is dense, sparse or cluster, was ${name}`);
  return tier;
}

export async function simulationOf(tier: AnyTier): Promise<TierSimulation> {
  if (tier !== 'cluster') return serviceSimulation(tier);
  // Its modules take long to load, and the others do without.
  const { clusterSimulation } = await import('./cluster-simulation.ts');
  return clusterSimulation;
}

function serviceSimulation(tier: Tier): TierSimulation {
  return {
    invariants: INVARIANTS,
    faultKinds: FAULT_KINDS,
    parsePlan: (json) => planShape.parse(json),
    drawPlan: tier === 'sparse' ? planOfDays : planOf,
    hoursUntil,
    async run({ plan, ...simulated }, { report }) {
      const { disk, figures, ...result } = await simulate({
        ...simulated,
        tier,
        plan: planShape.parse(plan),
        report,
      });
      const ofDisk = Object.entries(disk).map(([name, value]) => [`disk ${name}`, value]);
      return { ...result, figures: { ...Object.fromEntries(ofDisk), ...figures } };
    },
  };
}
