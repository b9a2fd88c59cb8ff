import { withSeed } from '../support/with-seed.ts';
import { sweepFills } from './fills.ts';

describe('a service whose disk is filled from outside', () => {
  for (const kind of ['ext4', 'tmpfs'] as const) {
    it(`SKIPPED WHEN NO DISK CAN BE MOUNTED: lives on, serves readers, goes on by itself and loses nothing (${kind})`, async function () {
      this.timeout(240_000);
      const found = await withSeed((seed) => sweepFills({ kind, fills: 2, seed, report: () => {} }));
      if (found === undefined) this.skip();
    });
  }
});
