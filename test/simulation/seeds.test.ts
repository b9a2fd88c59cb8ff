import { bundleRun } from './bundled-run.ts';
import { printedRun } from './printed-run.ts';

/** As `npm run simulate` has them: code that runs for seconds only is compiled at once. */
const FLAGS = ['--max-semi-space-size=64', '--min-semi-space-size=64', '--always-sparkplug'];

/** Those in which something was found, for as long as it took to show. */
const KEPT = [
  { tier: 'sparse', hours: 1, seeds: [111, 121, 191] },
  { tier: 'sparse', hours: 3, seeds: [104] },
  { tier: 'cluster', hours: 0.1, seeds: [7] },
] as const;

describe('simulations with faults drawn from their seeds', () => {
  let program: URL;
  before(() => {
    program = bundleRun();
  });

  async function run(tier: string, hours: number, seeds: readonly number[]): Promise<void> {
    const which = ['--tier', tier, '--hours', String(hours), '--seed', seeds.join(',')];
    await printedRun(program, [...which, '--no-shrink'], FLAGS);
  }

  it('hold what the service promises, in 20 seeds of an hour', async function () {
    this.timeout(1_800_000);
    await run(
      'sparse',
      1,
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  });

  for (const { tier, hours, seeds } of KEPT)
    it(`hold it in the kept ones, ${hours} h, ${tier}, too: ${seeds.join(', ')}`, async function () {
      this.timeout(1_800_000);
      await run(tier, hours, seeds);
    });
});
