import { createBus } from '../../../src/bus/create-bus.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { createSimulatedCluster } from './simulated-cluster.ts';
import { createVirtualTime } from './virtual-time.ts';

const STEP_MS = 10;
/** Far longer, in virtual time, than anything waits. */
const GIVE_UP_MS = 120_000;

/** The contract's view of a simulated cluster. */
export function openSimulatedBus(seed: number): BusUnderTest {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const stops: (() => Promise<void>)[] = [];
  let ids = 0;

  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    const from = time.mono();
    while (!(await holds())) {
      if (time.mono() - from > GIVE_UP_MS) throw new Error(`never came: ${what}`);
      await time.advance(STEP_MS);
    }
  };

  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    await until('a promise settles', () => isSettled);
    return promise;
  };

  return {
    async join(role = 'engine') {
      const node = cluster.connect({ isEngine: role === 'engine' });
      const bus = await createBus({
        transport: node.transport,
        time: node.time,
        newId: () => `id${++ids}`,
        isEngine: role === 'engine',
        report: () => undefined,
      });
      stops.push(() => bus.close());
      return { bus, kill: node.kill };
    },
    async stopServers() {
      cluster.setDown(true);
    },
    async startServers() {
      cluster.setDown(false);
    },
    async expire(shard, before) {
      cluster.stream(`shard_${shard}`).purge(({ place }) => place < before);
    },
    async wipe(shard) {
      cluster.remove(`shard_${shard}`);
    },
    until,
    settled,
    async close() {
      for (const stop of stops) await stop();
    },
  };
}
