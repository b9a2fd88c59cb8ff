import assert from 'node:assert/strict';
import { madeUpFor, madeUpId } from '../../src/config/made-up-accounts.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';

describe('made-up accounts', () => {
  const SEED = 1;
  const follow = (id: string, handle?: string) => ({ id, provider: { handle } });

  it('have the ids that the world gives them', () => {
    const made = accountsOf(SEED, 60).map(({ id }) => id);
    assert.deepEqual(
      made.map((_, index) => madeUpId(index)),
      made,
    );
  });

  it('are as many as the world needs to have those that are followed, by id or by handle', () => {
    for (const [index, { id, handle }] of accountsOf(SEED, 60).entries()) {
      assert.equal(madeUpFor([follow('a'), follow(id)]), index + 1);
      assert.equal(madeUpFor([follow('somebody', handle.toUpperCase())]), index + 1);
    }
  });

  it('are one at least, whatever else is followed', () => {
    assert.equal(madeUpFor([]), 1);
    assert.equal(madeUpFor([follow('somebody-else'), follow('z9'), follow('zz', 'the_mayor')]), 1);
    assert.equal(madeUpFor([follow('zzzz')]), 1);
  });
});
