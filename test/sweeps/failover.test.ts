import { createNatsCluster, type NatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepFailover } from './failover.ts';

describe('two engines on a bus of three servers', () => {
  let servers: readonly NatsServer[] = [];
  before(async function () {
    requireNatsServer(this);
    servers = await createNatsCluster();
  });
  after(() => Promise.all(servers.map((server) => server.remove())));

  it('lose and repeat nothing when the leading engine is killed or frozen 5 times each, and the leading server is killed 3 times', () =>
    withSeed(async (seed) => {
      await sweepFailover({ kills: 5, freezes: 5, natsKills: 3, seed, servers, report: () => {} });
    })).timeout(900_000);
});
