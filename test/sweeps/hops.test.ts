import assert from 'node:assert/strict';
import { requireNatsServer } from '../support/bus/nats-server.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepHops } from './hops.ts';

describe('hops between edges', () => {
  before(function () {
    requireNatsServer(this);
  });

  it('lose no frame and double none, with an edge that is late and one that is killed, and every frame is that of the engine', () =>
    withSeed(async (seed) => {
      const { frames, kills } = await sweepHops({ hops: 20, seed, report: () => undefined });
      assert.ok(frames >= 20 && kills >= 1, `${frames} frames, ${kills} kills`);
    })).timeout(600_000);
});
