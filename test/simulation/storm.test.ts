import assert from 'node:assert/strict';
import { createKernel, type Owner } from './kernel.ts';
import { createNetwork } from './network.ts';
import { createStorm } from './storm.ts';

describe('createStorm', () => {
  it('starts readers of both tiers, each on its own, and lets none of them run after its end', async () => {
    const kernel = createKernel();
    const network = createNetwork(kernel, () => 0.5);
    const owners: Owner[] = [];
    let acts = 0;
    const storm = createStorm({
      kernel,
      network,
      seed: 1,
      startReader() {
        // As a client does that loads something before it connects.
        void Promise.resolve().then(() => {
          owners.push(kernel.owner);
          kernel.schedule(10, () => {
            acts += 1;
          });
        });
      },
    });
    storm.begin(2);
    await kernel.run(20);
    assert.deepEqual(owners.map(storm.tierOf).sort(), ['FREE', 'PRO']);
    storm.begin(1);
    await kernel.run(5);
    storm.end();
    await kernel.run(20);
    assert.equal(acts, 2);
    assert.equal(storm.tierOf({ name: 'somebody else' }), undefined);
  });
});
