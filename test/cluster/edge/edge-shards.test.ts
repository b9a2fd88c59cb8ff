import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Bus } from '../../../src/bus/bus.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import { realTime } from '../../../src/bus/time.ts';
import { cacheDisk } from '../../../src/cluster/edge/cache-disk.ts';
import { type EdgeShards, openEdgeShards } from '../../../src/cluster/edge/edge-shards.ts';
import { type JoinedShards, joinShards } from '../../../src/cluster/edge/joined-shards.ts';
import { administer } from '../../support/bus/administer.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../../support/bus/nats-server.ts';
import { startTestLeader, type TestLeader } from '../../support/cluster/test-leader.ts';
import { eventually } from '../../support/eventually.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  postOutput,
  spotOutput,
} from '../../support/outputs.ts';
import { withFolder } from '../../support/store-records.ts';

/** An edge without its server: what it knows of all shards. */
function openEdge(bus: Bus, folder: string) {
  let joined: JoinedShards | undefined;
  const shards: EdgeShards = openEdgeShards({
    bus,
    folder,
    disk: cacheDisk,
    newId: randomUUID,
    time: realTime,
    async onChange() {
      joined?.close();
      const [first, ...others] = shards.list();
      joined = first && joinShards([first, ...others], bus.epoch, () => assert.fail('an account is taken'));
    },
    report: () => undefined,
  });
  return { shards, joined: () => joined };
}

describe('the shards of an edge', function () {
  this.timeout(300_000);
  let server: NatsServer;
  let engines: Bus;
  let bus: Bus;
  const leaders: TestLeader[] = [];

  before(function () {
    requireNatsServer(this);
  });
  beforeEach(async () => {
    server = await createNatsServer();
    await server.start();
    const join = (role: 'engine' | 'edge') =>
      openNatsBus({
        servers: server.url,
        env: {},
        name: role,
        role: role === 'engine' ? { type: 'engine', replicas: 1 } : { type: 'edge' },
        report: () => undefined,
      });
    engines = await join('engine');
    bus = await join('edge');
  });
  afterEach(async () => {
    for (const leader of leaders.splice(0)) await leader.stop();
    await Promise.all([bus.close(), engines.close()]);
    await server.remove();
  });

  async function lead(shard: string, account: string): Promise<TestLeader> {
    const leader = await startTestLeader({ bus: engines, shard, accounts: [account], snapshotsEveryMs: 300 });
    leaders.push(leader);
    const subject = { type: 'posts', account } as const;
    const eventId = account === 'a' ? 1 : 2;
    await leader.turn([
      eventOutput({ subject, eventId }),
      spotOutput({ price: eventId }),
      freshnessOutput(FRESH_AGES),
      postOutput({ account, id: account === 'a' ? '1' : '2' }),
    ]);
    return leader;
  }

  it('are joined by account, also one that comes later, and what is about no account is of the first', () =>
    withFolder(async (folder) => {
      const first = await lead('one', 'a');
      const { shards, joined } = openEdge(bus, folder);
      await eventually('the first is there', () => joined()?.accounts.length === 1);
      const second = await lead('two', 'b');
      await eventually('the second is there', () => joined()?.accounts.length === 2);
      const { latest, frames, topics } = joined() ?? assert.fail();
      await second.turn([countersOutput({ eventId: 2, account: 'b', real: 7 }), freshnessOutput(FRESH_AGES)]);
      await first.turn([countersOutput({ eventId: 1, account: 'a', real: 8 })]);
      await eventually('both have changed', () => {
        return (
          latest.get('counters', '1')?.record.real === 8 && latest.get('counters', '2')?.record.real === 7
        );
      });
      assert.deepEqual(
        [...latest.all('spot')].map(({ record }) => record.price),
        [1],
      );
      assert.deepEqual(
        [...latest.posts('b')].map(({ record }) => record.id),
        ['2'],
      );
      assert.deepEqual(
        [...latest.ofAccount('events', 'a')].map(({ key }) => key),
        ['1'],
      );
      const counters = topics.filter(
        ({ channel, account }) => channel.name === 'counters' && account !== null,
      );
      await eventually('frames of both are there', () =>
        counters.every((topic) => frames.read(frames.state(topic), 0).length > 0),
      );
      await shards.stop();
    }));

  it('go on from their own place, and from a snapshot when that is no longer kept, without a hole', () =>
    withFolder(async (folder) => {
      const leader = await lead('one', 'a');
      const before = openEdge(bus, folder);
      await eventually('it is there', () => before.joined() !== undefined);
      await leader.turn([countersOutput({ real: 5 })]);
      await eventually('it follows', () => before.joined()?.latest.get('counters', '1')?.record.real === 5);
      await before.shards.stop();
      for (let real = 6; real < 30; real++) await leader.turn([countersOutput({ real })]);

      const again = openEdge(bus, folder);
      await eventually('it goes on', () => again.joined()?.latest.get('counters', '1')?.record.real === 29);
      await again.shards.stop();

      for (let real = 30; real < 60; real++) await leader.turn([countersOutput({ real })]);
      const { place } = leader;
      await eventually('a newer snapshot is there', async () => {
        return ((await bus.snapshots.newest('one'))?.place ?? 0) >= place;
      });
      await administer(server.url, async (jsm) => {
        await jsm.streams.purge('TALLYWIRE_shard_one', { seq: place });
      });
      const late = openEdge(bus, folder);
      await eventually('it has all', () => late.joined()?.latest.get('counters', '1')?.record.real === 59);
      const [shard] = late.shards.list();
      assert.deepEqual(
        shard?.cache.store.feed.read('counters/account_a', 0, 1_000),
        leader.store.feed.read('counters/account_a', 0, 1_000),
      );
      await late.shards.stop();
    }));
});
