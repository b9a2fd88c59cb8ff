import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlaceSettings } from '../../src/access/limits/grants/places.ts';
import { createUsageTracking } from '../../src/access/usage/tracking.ts';
import type { Bus, Following, Shard } from '../../src/bus/bus.ts';
import { BusError } from '../../src/bus/bus-error.ts';
import { applyAccessEntry } from '../../src/cluster/access/access-log.ts';
import { answerCommands } from '../../src/cluster/commands/answer-commands.ts';
import { keepsCallers } from '../../src/cluster/commands/callers-shard.ts';
import { type EdgeCallers, openEdgeCallers } from '../../src/cluster/commands/edge-callers.ts';
import { type LedCallers, leadCallers } from '../../src/cluster/commands/lead-callers.ts';
import { ServiceError } from '../../src/errors.ts';
import { openPaymentService } from '../../src/payments/payment-service.ts';
import type { KeptReply, Store } from '../../src/store/store.ts';
import type { SimulatedCluster, SimulatedNode } from './bus/simulated-cluster.ts';
import { createSimulatedMembers } from './bus/simulated-members.ts';
import type { VirtualTime } from './bus/virtual-time.ts';
import { createMemoryStore } from './memory-store/memory-store.ts';
import { TERMS } from './payment-terms.ts';
import type { FacilitatorStand } from './payments.ts';

/** An engine of the shard that keeps callers. */
export interface CallersEngine {
  readonly node: SimulatedNode;
  readonly store: Store;
  /** Once it leads. */
  callers: LedCallers | undefined;
}

export interface CallersEdge {
  readonly node: SimulatedNode;
  readonly callers: EdgeCallers;
}

/** Engines and edges on a simulated bus, in virtual time, with what they do about callers. */
export interface CallersWorld {
  readonly time: VirtualTime;
  readonly cluster: SimulatedCluster;
  /** UTC ms. */
  readonly wall: () => number;
  /** Starts an engine that follows what the leader writes. */
  standby(): Promise<CallersEngine>;
  /** Makes a standby the leader, whatever became of the one before. */
  lead(engine: CallersEngine): Promise<void>;
  edge(name: string): Promise<CallersEdge>;
  /** Lets time pass until it settles. */
  settled<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => boolean): Promise<void>;
  /** Ends everything; rejects with the first thing that went wrong unseen. */
  close(): Promise<void>;
}

interface CallersWorldOptions {
  readonly seed: number;
  readonly facilitator?: FacilitatorStand;
  readonly places?: PlaceSettings;
  /** How far the clock of each engine is ahead, ms; the first one's first. */
  readonly aheadMs?: readonly number[];
  readonly answer?: (path: string) => Promise<KeptReply>;
}

/** Told, and tried again. */
const EXPECTED = new Set(['CLOCK_BEHIND', 'engine_unavailable']);
const SHARD = 'main';
/** How many steps of time there are between two pauses in which what is outside of the simulation can go on. */
const STEPS_PER_PAUSE = 4;
const START_AT = Date.UTC(2026, 10, 16, 10);

export async function openCallersWorld(options: CallersWorldOptions): Promise<CallersWorld> {
  const { seed, facilitator, places, aheadMs = [] } = options;
  let steps = 0;
  const members = createSimulatedMembers(seed, () =>
    facilitator !== undefined && ++steps % STEPS_PER_PAUSE === 0 ? delay(1) : undefined,
  );
  const { time, cluster, newId, connect, until, settled } = members;
  const wall = () => START_AT + time.mono();
  const followings = new Map<
    CallersEngine,
    {
      readonly shard: Shard;
      readonly following: Following;
      readonly bus: Bus;
      readonly clock: { wall(): number; mono(): number };
    }
  >();
  let engines = 0;
  /** Trouble that a leader tries again, or that is its end. */
  const report = (error: unknown) => {
    const isExpected =
      error instanceof BusError || (error instanceof ServiceError && EXPECTED.has(error.code));
    if (!isExpected) members.fail(error);
  };

  return {
    time,
    cluster,
    wall,
    until,
    settled,
    async standby() {
      const { node, bus } = await connect(true);
      const store = createMemoryStore();
      const ahead = aheadMs[engines] ?? 0;
      engines += 1;
      const clock = { wall: () => wall() + ahead, mono: () => time.mono() };
      const shard = await settled(bus.shard(SHARD));
      const engine: CallersEngine = { node, store, callers: undefined };
      const following = shard.follow(0, ({ bytes }) => applyAccessEntry(store, bytes));
      following.ended.catch(members.fail);
      followings.set(engine, { shard, following, bus, clock });
      return engine;
    },
    async lead(engine) {
      const { node, store } = engine;
      const followed = followings.get(engine);
      assert.ok(followed);
      const { shard, following, bus, clock } = followed;
      const writer = await members.beginTerm(shard, following);
      let stopAnswering: () => void = () => undefined;
      await settled(following.stop());
      await settled(keepsCallers(bus.shared('callers'), SHARD, undefined));
      const callers = await settled(
        leadCallers({
          bus,
          store,
          append: (bytes) =>
            writer.append({ kind: 'access', bytes }).catch((error: unknown) => {
              // As an engine that learns that its term is over.
              if (error instanceof BusError && error.code === 'BUS_FENCED') stopAnswering();
              throw error;
            }),
          applied: () => undefined,
          time: node.time,
          clock,
          ...(places && { places }),
          async openPayments(payments) {
            if (facilitator === undefined) return undefined;
            const service = await openPaymentService({
              terms: TERMS,
              facilitator: { url: facilitator.url },
              payments,
              now: wall,
              agreedNow: wall,
              mono: () => time.mono(),
              report: () => undefined,
              everyMs: 20,
            });
            return { service, terms: TERMS };
          },
          openUsage: (usage) =>
            createUsageTracking({ store: usage, now: clock.wall, retentionDays: 90, report }),
          report,
        }),
      );
      engine.callers = callers;
      const answer = options.answer ?? (async () => ({ status: 200, headers: {}, body: '{}' }));
      stopAnswering = answerCommands({
        bus,
        shard: SHARD,
        time: node.time,
        now: clock.wall,
        answer,
        callers,
      });
      members.onClose(callers.stop);
    },
    async edge(name) {
      const { node, bus } = await connect(false);
      const callers = await settled(
        openEdgeCallers({
          bus,
          edge: name,
          time: node.time,
          wall,
          newId,
          report,
          signal: new AbortController().signal,
        }),
      );
      return { node, callers };
    },
    close: members.close,
  };
}
