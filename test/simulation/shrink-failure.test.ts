import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Simulated } from './any-simulation.ts';
import { type Fault, faultsEndOf, hoursUntil, planOf } from './plan.ts';
import { shrinkFailure } from './shrink-failure.ts';
import type { Outcome } from './simulate-in-child.ts';

const HOUR_MS = 3_600_000;

function toldOf(violations: readonly { readonly at: number; readonly invariant: number }[]): Outcome {
  const messages = violations.map((each) => ({ ...each, message: 'broken' }));
  return { type: 'told', violations: messages, digest: '', virtualMs: 0, cpuSeconds: 0, fired: {} };
}

/** Breaks an invariant so many ms after the last of some faults; another one at once where the first of all is left out. */
function simulationWith(needed: readonly Fault[], first: Fault | undefined, afterMs: number) {
  return async ({ hours, plan }: Simulated): Promise<Outcome> => {
    if (first !== undefined && !plan.includes(first)) return toldOf([{ at: 1, invariant: 8 }]);
    const at = Math.max(0, ...needed.map((fault) => fault.at)) + afterMs;
    const isBroken = needed.every((fault) => plan.includes(fault)) && at <= hours * HOUR_MS;
    return toldOf(isBroken ? [{ at, invariant: 7 }] : []);
  };
}

const failures = fc
  .record({ seed: fc.nat(1_000), hours: fc.constantFrom(0.5, 1, 2.4), afterMs: fc.nat(120_000) })
  .map((drawn) => ({ ...drawn, plan: planOf(drawn.seed, drawn.hours) }))
  .filter(({ plan }) => plan.length > 0)
  .chain(({ plan, ...drawn }) =>
    fc.record({
      simulated: fc.constant<Simulated>({ seed: drawn.seed, hours: drawn.hours, tier: 'sparse', plan }),
      needed: fc.subarray([...plan], { minLength: 1, maxLength: 3 }),
      afterMs: fc.constant(drawn.afterMs),
    }),
  );

const hasTime = () => true;
const report = () => undefined;

describe('shrinkFailure', () => {
  it('finds the faults that matter, and ends soon after the failure', () =>
    fc.assert(
      fc.asyncProperty(failures, async ({ simulated, needed, afterMs }) => {
        const simulate = simulationWith(needed, undefined, afterMs);
        const failure = await simulate(simulated);
        fc.pre(failure.type === 'told' && failure.violations.length > 0);
        const shrunk = await shrinkFailure(simulated, failure, {
          simulate,
          hoursUntil,
          mostRuns: 1_000,
          hasTime,
          report,
        });
        assert.deepEqual(shrunk.simulated.plan, needed);
        assert.ok(shrunk.isMinimal);
        assert.deepEqual(shrunk.outcome, await simulate(shrunk.simulated));
        const { hours } = shrunk.simulated;
        assert.ok(hours <= simulated.hours);
        const foundAt = Math.max(...needed.map((fault) => fault.at)) + afterMs;
        // The last hour of a simulation is short where it ends soon, and faults go on until it does.
        const leastHours = (foundAt + 61_000) / HOUR_MS / (52 / 60) + 0.02;
        if (foundAt < faultsEndOf(0, 1))
          assert.ok(hours <= Math.max(leastHours, 0.03), `${hours} for ${foundAt}`);
      }),
      { numRuns: 50 },
    ));

  it('does not take another failure for the same', async () => {
    const plan = planOf(3, 1);
    const [first, , third] = plan;
    assert.ok(first && third);
    const simulate = simulationWith([third], first, 1_000);
    const simulated: Simulated = { seed: 3, hours: 1, tier: 'sparse', plan };
    const shrunk = await shrinkFailure(simulated, await simulate(simulated), {
      simulate,
      hoursUntil,
      mostRuns: 1_000,
      hasTime,
      report,
    });
    assert.deepEqual(shrunk.simulated.plan, [first, third]);
  });

  it('stops after the runs that it may make, with what fails', async () => {
    const plan = planOf(3, 1);
    const lines: string[] = [];
    const simulate = simulationWith(plan.slice(2, 3), undefined, 1_000);
    const simulated: Simulated = { seed: 3, hours: 1, tier: 'sparse', plan };
    const shrunk = await shrinkFailure(simulated, await simulate(simulated), {
      simulate,
      hoursUntil,
      mostRuns: 4,
      hasTime,
      report: (line) => lines.push(line),
    });
    assert.deepEqual([shrunk.runs, shrunk.isMinimal, lines.length], [4, false, 4]);
    assert.deepEqual(shrunk.outcome, await simulate(shrunk.simulated));
  });
});
