import type { Simulated, TierSimulation } from './any-simulation.ts';
import { endOf } from './planned-fault.ts';
import { shrinkList } from './shrink-list.ts';
import { failureOf, type Outcome } from './simulate-in-child.ts';

interface ShrinkDeps extends Pick<TierSimulation, 'hoursUntil'> {
  readonly simulate: (simulated: Simulated) => Promise<Outcome>;
  readonly mostRuns: number;
  /** Whether there is time for another run. */
  readonly hasTime: () => boolean;
  readonly report: (line: string) => void;
}

interface ShrunkFailure {
  readonly simulated: Simulated;
  readonly outcome: Outcome;
  /** Whether it is known that none of its faults can be left out alone. */
  readonly isMinimal: boolean;
  readonly runs: number;
}

/** Looks for the few faults that matter, and the least time that shows it. What is found fails in the same way. */
export async function shrinkFailure(
  failed: Simulated,
  failure: Outcome,
  { simulate, hoursUntil, mostRuns, hasTime, report }: ShrinkDeps,
): Promise<ShrunkFailure> {
  const name = failureOf(failure);
  let simulated = failed;
  let outcome = failure;
  let runs = 0;
  const mayRun = () => runs < mostRuns && hasTime();

  async function fails(candidate: Simulated): Promise<boolean> {
    runs += 1;
    const next = await simulate(candidate);
    const isSame = failureOf(next) === name;
    if (isSame) {
      simulated = candidate;
      outcome = next;
    }
    const { plan, hours } = candidate;
    const what = failureOf(next) ?? 'nothing fails';
    report(`shrinking, run ${runs}: ${plan.length} faults, ${hours} h: ${what}`);
    return isSame;
  }

  /** Ends soon after what was found, or after the last fault where only the end of the simulation shows it. */
  async function shorten(): Promise<void> {
    const lastAt = Math.max(0, ...simulated.plan.map(endOf));
    const foundAt = (outcome.type === 'told' ? outcome.violations[0]?.at : undefined) ?? Number.MAX_VALUE;
    for (const at of [lastAt, foundAt].sort((a, b) => a - b)) {
      const hours = hoursUntil(at);
      if (hours >= simulated.hours || !mayRun()) continue;
      const plan = simulated.plan.filter((fault) => fault.at <= at);
      if (await fails({ ...simulated, hours, plan })) return;
    }
  }

  await shorten();
  const { isMinimal } = await shrinkList(simulated.plan, (plan) => fails({ ...simulated, plan }), mayRun);
  await shorten();
  return { simulated, outcome, isMinimal, runs };
}
