import { FAULT_KINDS, hoursUntil, planOf, plan as planShape } from './plan.ts';
import type { PlannedFault } from './planned-fault.ts';
import { simulate } from './simulate.ts';
import type { Tier } from './tier.ts';
import { INVARIANTS, type Violation } from './violations.ts';

const TIERS = ['sparse', 'dense', 'cluster'] as const;
export type AnyTier = Tier | 'cluster';

/** Everything that decides how a simulation goes. */
export interface Simulated {
  readonly seed: number;
  readonly hours: number;
  readonly tier: AnyTier;
  readonly plan: readonly PlannedFault[];
}

export interface SimulatedResult {
  readonly violations: readonly Violation<number>[];
  /** How often each invariant was checked, and each kind of fault happened. */
  readonly checked: ReadonlyMap<number, number>;
  readonly fired: ReadonlyMap<string, number>;
  /** What happened besides, by name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly virtualMs: number;
  readonly digest: string;
}

interface Told {
  readonly report: (line: string) => void;
  /** Told of faults, and of what processes tell their operators. Of a cluster alone. */
  readonly trace?: (line: string) => void;
}

/** What is the same for every tier to whoever runs simulations. */
export interface TierSimulation {
  /** What must hold, by number. */
  readonly invariants: Readonly<Record<number, string>>;
  readonly faultKinds: readonly string[];
  /** Throws for what is no plan of this tier. */
  parsePlan(json: unknown): readonly PlannedFault[];
  drawPlan(seed: number, hours: number): readonly PlannedFault[];
  /** How many hours a simulation takes in which faults go on until `at` and a little longer; hundredths. */
  hoursUntil(at: number): number;
  /** Takes over the globals of the process. */
  run(simulated: Omit<Simulated, 'tier'>, told: Told): Promise<SimulatedResult>;
}

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
    drawPlan: planOf,
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
