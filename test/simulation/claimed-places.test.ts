import assert from 'node:assert/strict';
import { agent, walletOf } from '../support/describe-waitlist.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { createClaimedPlaces } from './claimed-places.ts';
import { createViolations } from './violations.ts';

function stage() {
  const kept = createMemoryStore();
  const violations = createViolations(() => 0);
  const places = createClaimedPlaces({ kept, violations });
  return { kept, places, found: () => violations.found.map(({ message }) => message).join() };
}

describe('claimed places', () => {
  it('are right when each is on disk, also when it is told again', async () => {
    const { kept, places, found } = stage();
    for (const n of [1, 2, 1]) {
      const { position } = await kept.waitlist.claim(agent(n), 0);
      places.onTold(walletOf(n), position);
    }
    places.check();
    assert.equal(found(), '');
  });

  it('are wrong when one is not on disk, is another one or is told otherwise', async () => {
    const { kept, places, found } = stage();
    places.onTold(walletOf(1), 1);
    places.check();
    assert.match(found(), /was told the place 1, and has undefined/);
    places.onTold(walletOf(1), 2);
    assert.match(found(), /was told the place 1, and then 2/);
    await kept.waitlist.claim(agent(1), 0);
    places.check();
    assert.match(found(), /was told the place 2, and has 1/);
  });

  it('are wrong when there are holes between them', () => {
    const { kept, places, found } = stage();
    const list = () => [1, 3].map((position) => ({ ...agent(position), position, at: 0 }));
    Object.assign(kept.waitlist, { list });
    places.check();
    assert.match(found(), /the place 3 follows 1/);
  });
});
