import assert from 'node:assert/strict';
import { requireNatsServer } from '../support/bus/nats-server.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepHops } from './hops.ts';

/** The fewest with a kill of the one edge in them, after which the reader comes back to it. */
const HOPS = 11;

describe('hops between edges', () => {
  before(function () {
    requireNatsServer(this);
  });

  it('lose no frame and double none, with an edge that is late and one that is killed, and every frame is that of the engine', () =>
    withSeed(async (seed) => {
      const { frames, kills } = await sweepHops({ hops: HOPS, seed, report: () => undefined });
      assert.ok(frames >= HOPS && kills >= 1, `${frames} frames, ${kills} kills`);
    })).timeout(600_000);
});
