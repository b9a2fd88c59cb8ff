import assert from 'node:assert/strict';
import type { Bus, StoredEntry } from '../../../src/bus/bus.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import { administer } from '../../support/bus/administer.ts';
import {
  createNatsCluster,
  createNatsServer,
  type NatsServer,
  requireNatsServer,
} from '../../support/bus/nats-server.ts';
import { eventually } from '../../support/eventually.ts';

/** A writer that never rests, and a reader of what it writes. */
interface Traffic {
  readonly acknowledged: readonly string[];
  readonly entries: readonly StoredEntry[];
  /** Resolves when so many more have been acknowledged. */
  more(count: number): Promise<void>;
  /** Stops writing, and checks that the reader has everything once and in order. */
  check(): Promise<void>;
}

const open = (servers: readonly NatsServer[], replicas: number): Promise<Bus> =>
  openNatsBus({
    servers: servers.map(({ url }) => url).join(','),
    env: {},
    name: 'test',
    role: { type: 'engine', replicas },
    report: () => undefined,
  });

async function startTraffic(engine: Bus, reader: Bus): Promise<Traffic> {
  const writer = await (await engine.shard('main')).beginTerm(1, 0);
  assert.ok(writer !== 'behind');
  const acknowledged: string[] = [];
  const entries: StoredEntry[] = [];
  const following = (await reader.shard('main')).follow(0, (entry) => void entries.push(entry));
  let isOver = false;
  const writing = (async () => {
    for (let n = 1; !isOver; n++) {
      await writer.append({ kind: 'log', bytes: Buffer.from(`entry ${n}`) });
      acknowledged.push(`entry ${n}`);
    }
  })();
  writing.catch(() => undefined);
  return {
    acknowledged,
    entries,
    more(count) {
      const enough = acknowledged.length + count;
      return Promise.race([eventually(`${count} more`, () => acknowledged.length >= enough), writing]);
    },
    async check() {
      isOver = true;
      await writing;
      await eventually('the reader has all', () => following.place >= writer.place);
      assert.deepEqual(
        entries.map(({ bytes }) => Buffer.from(bytes).toString()),
        acknowledged,
      );
      await following.stop();
    },
  };
}

describe('the bus on NATS servers that fail', () => {
  let servers: readonly NatsServer[] = [];
  const buses: Bus[] = [];
  before(function () {
    requireNatsServer(this);
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await Promise.all(servers.map((server) => server.remove()));
    servers = [];
  });

  it('loses and doubles nothing when the server is killed and started again under writes', async () => {
    const server = await createNatsServer();
    servers = [server];
    await server.start();
    buses.push(await open(servers, 1), await open(servers, 1));
    const [engine, reader] = buses;
    assert.ok(engine && reader);
    const traffic = await startTraffic(engine, reader);
    for (let kill = 0; kill < 3; kill++) {
      await traffic.more(20);
      await server.kill();
      await server.start();
    }
    await traffic.more(20);
    await traffic.check();
  });

  it('goes on without a change of leaders when a server of three is killed, or frozen', async () => {
    servers = await createNatsCluster();
    buses.push(await open(servers, 3), await open(servers, 3));
    const [engine, standby] = buses;
    assert.ok(engine && standby);
    const lease = await engine.leases.campaign('main', 'engine', new AbortController().signal);
    const abandon = new AbortController();
    const campaign = standby.leases.campaign('main', 'standby', abandon.signal);
    const traffic = await startTraffic(engine, standby);
    await traffic.more(20);

    const clusterOf = (stream: string) =>
      administer(
        servers.map(({ url }) => url),
        async (jsm) => (await jsm.streams.info(stream)).cluster,
      );
    const leaderOf = async (stream: string): Promise<NatsServer> => {
      const cluster = await clusterOf(stream);
      const leader = servers.find(({ name }) => name === cluster?.leader);
      assert.ok(leader);
      return leader;
    };
    /** Two of three that fail at a time are more than the servers can stand. */
    const isWhole = async (stream: string) => {
      const cluster = await clusterOf(stream).catch(() => undefined);
      return cluster?.replicas?.length === 2 && cluster.replicas.every(({ current }) => current);
    };
    const killed = await leaderOf('TALLYWIRE_shard_main');
    await killed.kill();
    await traffic.more(20);
    await killed.start();
    for (const stream of ['TALLYWIRE_shard_main', 'KV_tallywire_values'])
      await eventually(`all servers have what ${stream} holds`, () => isWhole(stream));
    const frozen = await leaderOf('KV_tallywire_values');
    frozen.freeze();
    await traffic.more(20);
    await eventually('the lease is renewed', () => lease.isHeld());
    frozen.thaw();
    await traffic.more(20);
    assert.deepEqual(await engine.leases.current('main'), { owner: 'engine', term: 1 });
    await traffic.check();
    abandon.abort();
    await assert.rejects(campaign, { code: 'BUS_CLOSED' });
  });
});
