import { sweepRequests } from './requests.ts';

describe('generated requests', () => {
  it('are answered as the document says, never with an internal error', async function () {
    this.timeout(120_000);
    const seed = Math.trunc(Math.random() * 2 ** 31);
    await sweepRequests({ requests: 2_000, seed, isTimed: false, report: () => {} });
  });
});
