import { withSeed } from '../support/with-seed.ts';
import { sweepCuts } from './cuts.ts';

describe('a reader of the feed that is cut off, held up, and whose server is killed', () => {
  it('has the bytes of one that is not, and ends with the same records', async function () {
    this.timeout(240_000);
    await withSeed((seed) => sweepCuts({ disturbances: 6, seed, report: () => {} }));
  });
});
