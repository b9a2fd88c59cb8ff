import { setTimeout as delay } from 'node:timers/promises';
import { type Alerts, type AlertsDeps, openAlerts } from '../../src/alerts/alerts.ts';
import type { Bus, Following, Shard, ShardWriter } from '../../src/bus/bus.ts';
import { BusError } from '../../src/bus/bus-error.ts';
import { createBus } from '../../src/bus/create-bus.ts';
import { type AccessLog, applyAccessEntry, openAccessLog } from '../../src/cluster/access/access-log.ts';
import { shareAlerts } from '../../src/cluster/access/shared-alerts.ts';
import { decodeOutputsEntry, encodeOutputsEntry } from '../../src/cluster/entries/outputs-entry.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import type { Output } from '../../streams/internal.ts';
import { ACCOUNTS } from './accounts.ts';
import { createSimulatedCluster, type SimulatedNode } from './bus/simulated-cluster.ts';
import { createVirtualTime } from './bus/virtual-time.ts';
import { createMemoryStore } from './memory-store/memory-store.ts';
import { NOON } from './outputs.ts';

/** An engine as far as alerts go: outputs are made up by a test, and everything else is as in a whole one. */
export interface AlertsEngine {
  readonly node: SimulatedNode;
  readonly bus: Bus;
  readonly store: Store;
  readonly latest: LatestWriter;
}

interface Led {
  readonly engine: AlertsEngine;
  readonly alerts: Alerts;
  /** Publishes outputs as those of one observation. */
  turn(outputs: readonly Output[], seq: number): Promise<void>;
  /** Ends its term in order. */
  stop(): Promise<void>;
}

export interface AlertsWorld {
  /** Starts an engine that follows what the leader writes. */
  standby(): Promise<AlertsEngine>;
  /** Makes a standby the leader, whatever became of the one before. */
  lead(engine: AlertsEngine, deps?: Partial<AlertsDeps>): Promise<Led>;
  /** A process that is no engine. */
  edge(): Promise<Bus>;
  /** Lets time pass until it settles. */
  settled<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => boolean): Promise<void>;
  close(): Promise<void>;
}

const SHARD = 'main';
const STEP_MS = 5;
const GIVE_UP_MS = 300_000;

/** Engines on a simulated bus, in virtual time, that deliver alerts to receivers, in real time. */
export async function openAlertsWorld(seed: number): Promise<AlertsWorld> {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const failures: unknown[] = [];
  const buses: Bus[] = [];
  const nodes: SimulatedNode[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  const followed = new Map<AlertsEngine, { readonly shard: Shard; readonly following: Following }>();
  let ids = 0;
  let term = 0;
  const newId = () => `id${++ids}`;
  /** That of a leader whose term is over. */
  const report = (error: unknown) => {
    if (!(error instanceof BusError)) failures.push(error);
  };

  async function until(what: string, holds: () => boolean): Promise<void> {
    const from = time.mono();
    while (!holds()) {
      if (time.mono() - from > GIVE_UP_MS) throw new Error(`never came: ${what}`);
      await time.advance(STEP_MS);
      // Receivers are outside of the simulation.
      await delay(1);
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

  async function connect(isEngine: boolean): Promise<{ readonly node: SimulatedNode; readonly bus: Bus }> {
    const node = cluster.connect({ isEngine });
    nodes.push(node);
    const bus = await settled(
      createBus({ transport: node.transport, time: node.time, newId, isEngine, report: () => undefined }),
    );
    buses.push(bus);
    return { node, bus };
  }

  async function store(engine: AlertsEngine, outputs: readonly Output[], upTo: number): Promise<void> {
    if (upTo <= engine.store.outputs.upTo) return;
    await engine.store.outputs.append(outputs, upTo);
    engine.latest.apply(outputs, upTo, NOON + upTo);
  }

  async function beginTerm(shard: Shard, following: Following): Promise<ShardWriter> {
    for (;;) {
      const writer = await settled(shard.beginTerm(term, following.place));
      if (writer !== 'behind') return writer;
      await time.advance(STEP_MS);
    }
  }

  return {
    until,
    settled,
    async standby() {
      const { node, bus } = await connect(true);
      const shard = await settled(bus.shard(SHARD));
      const engine: AlertsEngine = { node, bus, store: createMemoryStore(), latest: createLatest() };
      const following = shard.follow(0, async ({ kind, bytes }) => {
        if (kind === 'access') return applyAccessEntry(engine.store, bytes);
        if (kind !== 'outputs') return;
        const { outputs, upTo } = decodeOutputsEntry(bytes);
        await store(engine, outputs, upTo);
      });
      following.ended.catch((error: unknown) => failures.push(error));
      followed.set(engine, { shard, following });
      return engine;
    },
    async lead(engine, deps = {}) {
      const place = followed.get(engine);
      if (place === undefined) throw new TypeError('only a standby can lead');
      term += 1;
      const writer = await beginTerm(place.shard, place.following);
      await settled(place.following.stop());
      const log: AccessLog = openAccessLog({
        store: engine.store,
        append: (bytes) => writer.append({ kind: 'access', bytes }),
        applied: () => undefined,
        report,
      });
      const alerts = await settled(
        openAlerts({
          stored: shareAlerts(engine.store.alerts, log),
          outputs: engine.store.outputs,
          latest: engine.latest,
          accounts: ACCOUNTS,
          configured: [],
          isAdmitted: () => true,
          allowsPrivate: true,
          now: () => NOON,
          mono: () => time.mono(),
          random: () => 0,
          newId,
          report,
          ...deps,
        }),
      );
      // Whatever the former leader still does is refused by the bus.
      stops.push(() => Promise.race([alerts.stop(), delay(50)]));
      return {
        engine,
        alerts,
        async turn(outputs, seq) {
          const bytes = encodeOutputsEntry({ upTo: seq, calendarAt: NOON + seq, outputs });
          await settled(writer.append({ kind: 'outputs', bytes }));
          await store(engine, outputs, seq);
        },
        async stop() {
          await settled(alerts.stop());
          await settled(log.close());
        },
      };
    },
    edge: async () => (await connect(false)).bus,
    async close() {
      for (const node of nodes) node.kill();
      await Promise.all(buses.map((bus) => bus.close()));
      await Promise.all(stops.map((stop) => stop()));
      if (failures.length > 0) throw failures[0];
    },
  };
}
