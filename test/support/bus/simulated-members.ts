import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, Following, Shard, ShardWriter } from '../../../src/bus/bus.ts';
import { createBus } from '../../../src/bus/create-bus.ts';
import { createSimulatedCluster, type SimulatedCluster, type SimulatedNode } from './simulated-cluster.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

/** Processes on a simulated bus, in virtual time. */
export interface SimulatedMembers {
  readonly time: VirtualTime;
  readonly cluster: SimulatedCluster;
  readonly newId: () => string;
  /** Receives what goes wrong. Whoever waits is told of the first, and so is who closes. */
  readonly fail: (error: unknown) => void;
  connect(isEngine: boolean): Promise<{ readonly node: SimulatedNode; readonly bus: Bus }>;
  /** Begins a new term of a shard for an engine that follows it, once it has all of it. */
  beginTerm(shard: Shard, following: Following): Promise<ShardWriter>;
  until(what: string, holds: () => boolean): Promise<void>;
  /** Lets time pass until it settles. */
  settled<T>(promise: Promise<T>): Promise<T>;
  /** Called when everything ends. A former leader may wait for a bus that refuses it, and is not waited for. */
  onClose(stop: () => Promise<unknown>): void;
  /** Ends everything; rejects with the first thing that went wrong unseen. */
  close(): Promise<void>;
}

const STEP_MS = 5;
const GIVE_UP_MS = 300_000;
const LONGEST_STOP_MS = 50;

/** `outside` is awaited with each step of time, for what is outside of the simulation and takes real time. */
export function createSimulatedMembers(
  seed: number,
  outside: () => Promise<unknown> | undefined,
): SimulatedMembers {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const failures: unknown[] = [];
  const buses: Bus[] = [];
  const nodes: SimulatedNode[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  let ids = 0;
  let term = 0;
  const newId = () => `id${++ids}`;

  async function until(what: string, holds: () => boolean): Promise<void> {
    const from = time.mono();
    while (!holds()) {
      if (time.mono() - from > GIVE_UP_MS) throw new Error(`never came: ${what}`);
      await time.advance(STEP_MS);
      await outside();
      if (failures.length > 0) throw failures[0];
    }
  }

  async function settled<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    await until('a promise settles', () => isSettled);
    return promise;
  }

  return {
    time,
    cluster,
    newId,
    fail: (error) => void failures.push(error),
    until,
    settled,
    async connect(isEngine) {
      const node = cluster.connect({ isEngine });
      nodes.push(node);
      const bus = await settled(
        createBus({ transport: node.transport, time: node.time, newId, isEngine, report: () => undefined }),
      );
      buses.push(bus);
      return { node, bus };
    },
    async beginTerm(shard, following) {
      term += 1;
      for (;;) {
        const writer = await settled(shard.beginTerm(term, following.place));
        if (writer !== 'behind') return writer;
        await time.advance(STEP_MS);
      }
    },
    onClose: (stop) => void stops.push(stop),
    async close() {
      for (const node of nodes) node.kill();
      await Promise.all(buses.map((bus) => bus.close()));
      await Promise.all(stops.map((stop) => Promise.race([stop(), delay(LONGEST_STOP_MS)])));
      if (failures.length > 0) throw failures[0];
    },
  };
}
