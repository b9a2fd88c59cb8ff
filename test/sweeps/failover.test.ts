import { createNatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepFailover } from './failover.ts';

describe('two engines on a bus', () => {
  it('lose and repeat nothing when the leader is killed or frozen 2 times each', async function () {
    requireNatsServer(this);
    this.timeout(900_000);
    const server = await createNatsServer();
    await server.start();
    try {
      await withSeed((seed) =>
        sweepFailover({ kills: 2, freezes: 2, natsKills: 0, seed, servers: [server], report: () => {} }),
      );
    } finally {
      await server.remove();
    }
  });
});
