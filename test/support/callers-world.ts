import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlaceSettings } from '../../src/access/limits/grants/places.ts';
import { createUsageTracking } from '../../src/access/usage/tracking.ts';
import type { Bus, Following, Shard } from '../../src/bus/bus.ts';
import { BusError } from '../../src/bus/bus-error.ts';
import { createBus } from '../../src/bus/create-bus.ts';
import { applyAccessEntry } from '../../src/cluster/access/access-log.ts';
import { answerCommands } from '../../src/cluster/commands/answer-commands.ts';
import { keepsCallers } from '../../src/cluster/commands/callers-shard.ts';
import { type EdgeCallers, openEdgeCallers } from '../../src/cluster/commands/edge-callers.ts';
import { type LedCallers, leadCallers } from '../../src/cluster/commands/lead-callers.ts';
import { ServiceError } from '../../src/errors.ts';
import { openPaymentService } from '../../src/payments/payment-service.ts';
import type { KeptReply, Store } from '../../src/store/store.ts';
import {
  createSimulatedCluster,
  type SimulatedCluster,
  type SimulatedNode,
} from './bus/simulated-cluster.ts';
import { createVirtualTime, type VirtualTime } from './bus/virtual-time.ts';
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
const STEP_MS = 5;
const GIVE_UP_MS = 300_000;
const START_AT = Date.UTC(2026, 10, 16, 10);

export async function openCallersWorld(options: CallersWorldOptions): Promise<CallersWorld> {
  const { seed, facilitator, places, aheadMs = [] } = options;
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const wall = () => START_AT + time.mono();
  const failures: unknown[] = [];
  const buses: Bus[] = [];
  const nodes: SimulatedNode[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  const followings = new Map<
    CallersEngine,
    {
      readonly shard: Shard;
      readonly following: Following;
      readonly bus: Bus;
      readonly clock: { wall(): number; mono(): number };
    }
  >();
  let ids = 0;
  let term = 0;
  let engines = 0;
  const newId = () => `id${++ids}`;
  /** Trouble that a leader tries again, or that is its end. */
  const report = (error: unknown) => {
    const isExpected =
      error instanceof BusError || (error instanceof ServiceError && EXPECTED.has(error.code));
    if (!isExpected) failures.push(error);
  };

  async function until(what: string, holds: () => boolean): Promise<void> {
    const from = time.mono();
    for (let turn = 1; !holds(); turn++) {
      if (time.mono() - from > GIVE_UP_MS) throw new Error(`never came: ${what}`);
      await time.advance(STEP_MS);
      // What happens outside of the simulation takes real time.
      if (facilitator !== undefined && turn % 4 === 0) await delay(1);
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
      following.ended.catch((error: unknown) => failures.push(error));
      followings.set(engine, { shard, following, bus, clock });
      return engine;
    },
    async lead(engine) {
      const { node, store } = engine;
      const followed = followings.get(engine);
      assert.ok(followed);
      const { shard, following, bus, clock } = followed;
      term += 1;
      let writer = await settled(shard.beginTerm(term, following.place));
      while (writer === 'behind') {
        await time.advance(STEP_MS);
        writer = await settled(shard.beginTerm(term, following.place));
      }
      const leading = writer;
      let stopAnswering: () => void = () => undefined;
      await settled(following.stop());
      await settled(keepsCallers(bus.shared('callers'), SHARD, undefined));
      const callers = await settled(
        leadCallers({
          bus,
          store,
          append: (bytes) =>
            leading.append({ kind: 'access', bytes }).catch((error: unknown) => {
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
      // Whatever it still does is refused by the bus.
      stops.push(() => Promise.race([callers.stop(), delay(50)]));
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
    async close() {
      for (const node of nodes) node.kill();
      await Promise.all(buses.map((bus) => bus.close()));
      await Promise.all(stops.map((stop) => stop()));
      if (failures.length > 0) throw failures[0];
    },
  };
}
