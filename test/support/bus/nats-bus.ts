import type { Bus } from '../../../src/bus/bus.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { eventually } from '../eventually.ts';
import { administer } from './administer.ts';
import type { NatsServer } from './nats-server.ts';

const TAIL_LOST_AFTER_MS = 1_000;

/** The contract's view of one server, which is emptied for every test. */
export async function openNatsUnderTest(server: NatsServer): Promise<BusUnderTest> {
  const { url } = server;
  const open = new Set<Bus>();
  let names = 0;
  // Files of a stream that is deleted may outlive it for a moment, and would be found by the next of the same name.
  await server.wipe();
  await server.start();

  return {
    async join(role = 'engine') {
      const bus = await openNatsBus({
        servers: url,
        env: {},
        name: `${role}-${++names}`,
        role: role === 'engine' ? { type: 'engine', replicas: 1 } : { type: 'edge' },
        report: () => undefined,
        tailLostAfterMs: TAIL_LOST_AFTER_MS,
      });
      open.add(bus);
      return { bus, kill: () => void bus.close() };
    },
    stopServers: () => server.kill(),
    startServers: () => server.start(),
    expire: (shard, before) =>
      administer(url, async (jsm) => {
        await jsm.streams.purge(`TALLYWIRE_shard_${shard}`, { seq: before });
      }),
    wipe: (shard) =>
      administer(url, async (jsm) => {
        await jsm.streams.delete(`TALLYWIRE_shard_${shard}`);
      }),
    until: eventually,
    settled: (promise) => promise,
    async close() {
      await Promise.all([...open].map((bus) => bus.close()));
      // After a test that failed, or that ends without it.
      if (!server.isRunning()) await server.start();
    },
  };
}
