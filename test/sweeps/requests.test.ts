import { sweepRequests } from './requests.ts';

describe('generated requests', () => {
  it('are answered as the document says, none with a fault of ours', async function () {
    this.timeout(120_000);
    const seed = Math.trunc(Math.random() * 2 ** 31);
    await sweepRequests({ requests: 2_000, seed, isTimed: false, report: () => {} });
  });
});
