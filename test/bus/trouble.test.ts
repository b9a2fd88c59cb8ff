import assert from 'node:assert/strict';
import { runEngines } from '../support/bus/simulated-engines.ts';
import { withSeed } from '../support/with-seed.ts';

const RUNS = Number(process.env.BUS_RUNS ?? 6);

const FAULTS = {
  lostRequest: 0.02,
  lostAnswer: 0.03,
  lateRequest: 0.02,
  repeatedRequest: 0.03,
  repeatedDelivery: 0.05,
  skippedDelivery: 0.01,
  brokenDelivery: 0.01,
  silentDelivery: 0.01,
};

describe('engines on a bus in trouble', () => {
  it('lose nothing, write nothing twice, and one leads at a time', () =>
    withSeed(async (first) => {
      let changes = 0;
      for (let run = 0; run < RUNS; run++) {
        try {
          const { acknowledged, terms } = await runEngines({
            seed: first + run,
            engines: 3,
            troubleMs: 60_000,
            faults: FAULTS,
          });
          assert.ok(acknowledged > 100);
          changes += terms - 1;
        } catch (error) {
          throw new Error(
            `run ${run}, which is TEST_SEED=${first + run} BUS_RUNS=1: ${error instanceof Error ? error.message : error}`,
            { cause: error },
          );
        }
      }
      assert.ok(changes > 0, 'leaders did change');
    }));

  it('change their leader more than once in a run, and lose nothing by it', async () => {
    let changes = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const { terms } = await runEngines({ seed, engines: 3, troubleMs: 60_000, faults: FAULTS });
      changes += terms - 1;
    }
    assert.ok(changes > 6, `${changes} changes in 6 runs`);
  });

  it('do the same for the same seed', async () => {
    const once = await runEngines({ seed: 5, engines: 2, troubleMs: 20_000, faults: FAULTS });
    const again = await runEngines({ seed: 5, engines: 2, troubleMs: 20_000, faults: FAULTS });
    assert.deepEqual(again, once);
  });
});
