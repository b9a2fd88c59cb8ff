import type { PlannedFault } from './planned-fault.ts';
import type { Tier } from './tier.ts';
import type { Violation } from './violations.ts';

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
