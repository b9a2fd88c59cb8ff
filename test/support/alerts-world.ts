import { setTimeout as delay } from 'node:timers/promises';
import { type Alerts, type AlertsDeps, openAlerts } from '../../src/alerts/alerts.ts';
import type { Bus, Following, Shard } from '../../src/bus/bus.ts';
import { BusError } from '../../src/bus/bus-error.ts';
import { type AccessLog, applyAccessEntry, openAccessLog } from '../../src/cluster/access/access-log.ts';
import { shareAlerts } from '../../src/cluster/access/shared-alerts.ts';
import { decodeOutputsEntry, encodeOutputsEntry } from '../../src/cluster/entries/outputs-entry.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import type { Output } from '../../streams/internal.ts';
import { ACCOUNTS } from './accounts.ts';
import type { SimulatedNode } from './bus/simulated-cluster.ts';
import { createSimulatedMembers } from './bus/simulated-members.ts';
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

/** Engines on a simulated bus, in virtual time, that deliver alerts to receivers, in real time. */
export async function openAlertsWorld(seed: number): Promise<AlertsWorld> {
  // Receivers are outside of the simulation.
  const members = createSimulatedMembers(seed, () => delay(1));
  const { time, newId, connect, until, settled } = members;
  const followed = new Map<AlertsEngine, { readonly shard: Shard; readonly following: Following }>();
  /** That of a leader whose term is over. */
  const report = (error: unknown) => {
    if (!(error instanceof BusError)) members.fail(error);
  };

  async function store(engine: AlertsEngine, outputs: readonly Output[], upTo: number): Promise<void> {
    if (upTo <= engine.store.outputs.upTo) return;
    await engine.store.outputs.append(outputs, upTo);
    engine.latest.apply(outputs, upTo, NOON + upTo);
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
      following.ended.catch(members.fail);
      followed.set(engine, { shard, following });
      return engine;
    },
    async lead(engine, deps = {}) {
      const place = followed.get(engine);
      if (place === undefined) throw new TypeError('only a standby can lead');
      const writer = await members.beginTerm(place.shard, place.following);
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
      members.onClose(alerts.stop);
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
    close: members.close,
  };
}
