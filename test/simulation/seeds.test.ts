import { bundleRun } from './bundled-run.ts';
import { printedRun } from './printed-run.ts';

/** As `npm run simulate` has them: code that runs for seconds only is compiled at once. */
const FLAGS = ['--max-semi-space-size=64', '--always-sparkplug'];

/** Those in which something was found. */
const KEPT = [
  { tier: 'sparse', hours: 3, seeds: [104, 111, 121, 191] },
  { tier: 'cluster', hours: 0.2, seeds: [7] },
] as const;

describe('simulations with faults drawn from their seeds', () => {
  let program: URL;
  before(() => {
    program = bundleRun();
  });

  function run(tier: string, hours: number, seed: number, seeds = 1): Promise<string> {
    const which = ['--tier', tier, '--hours', String(hours), '--seed', String(seed)];
    return printedRun(program, [...which, '--seeds', String(seeds), '--no-shrink'], FLAGS);
  }

  it('hold what the service promises, in 20 seeds of an hour', async function () {
    this.timeout(1_800_000);
    await run('sparse', 1, 1, 20);
  });

  for (const { tier, hours, seeds } of KEPT)
    for (const seed of seeds)
      it(`hold it in seed ${seed}, ${hours} h, ${tier}, too`, async function () {
        this.timeout(900_000);
        await run(tier, hours, seed);
      });
});
