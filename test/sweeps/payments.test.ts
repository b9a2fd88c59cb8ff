import { sweepOutcomes } from './payment-outcomes.ts';
import { sweepCopies, sweepCrashes, sweepMutations } from './payments.ts';

const quiet = () => undefined;

describe('payments under stress', () => {
  it('are never paid twice or left unserved, whatever becomes of their settlements', () =>
    sweepOutcomes({ seed: 1, count: 15 }, quiet));
  it('settle one of many copies', () => sweepCopies(100, quiet));
  it('are refused however they are spoiled', () => sweepMutations(1, quiet));
  it('survive a kill after every state', async function () {
    this.timeout(120_000);
    await sweepCrashes(1, quiet);
  });
});
