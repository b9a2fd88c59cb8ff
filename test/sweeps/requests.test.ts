import { withSeed } from '../support/with-seed.ts';
import { sweepRequests } from './requests.ts';

describe('generated requests', () => {
  it('are answered as the document says, never with an internal error', async function () {
    this.timeout(120_000);
    await withSeed((seed) => sweepRequests({ requests: 2_000, seed, isTimed: false, report: () => {} }));
  });
});
