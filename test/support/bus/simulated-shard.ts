import { setTimeout as delay } from 'node:timers/promises';
import { Observable } from 'rxjs';
import { createBus } from '../../../src/bus/create-bus.ts';
import {
  type ClusterNews,
  joinShard,
  type Leadership,
  type Membership,
} from '../../../src/cluster/engine/join-shard.ts';
import { type Engine, openStandby } from '../../../src/engine/engine.ts';
import type { ServiceError } from '../../../src/errors.ts';
import type { Source, SourceContext } from '../../../src/sources/source.ts';
import type { Store } from '../../../src/store/store.ts';
import { createLatest } from '../../../src/views/latest.ts';
import type { Fact } from '../../../streams/internal.ts';
import { settings } from '../facts.ts';
import { createMemoryStore } from '../memory-store/memory-store.ts';
import { createSimulatedCluster, type SimulatedCluster, type SimulatedNode } from './simulated-cluster.ts';
import { createVirtualTime } from './virtual-time.ts';

/** Engines of one shard on a simulated cluster, whose time passes as the test waits. */
export interface SimulatedShard {
  readonly cluster: SimulatedCluster;
  start(options?: EngineOptions): Promise<SimulatedEngine>;
  /** A process on the bus that is no engine of ours. */
  connect(): Promise<Pick<SimulatedEngine, 'node' | 'bus'>>;
  until(what: string, holds: () => boolean): Promise<void>;
  /** The outcome of a promise that needs time to pass. */
  settled<T>(promise: Promise<T>): Promise<T>;
  pass(ms: number): Promise<void>;
  mono(): number;
  close(): Promise<void>;
}

interface EngineOptions {
  readonly store?: Store;
  readonly shard?: string;
  /** How far its calendar is ahead of the others', ms. */
  readonly calendarMs?: number;
}

export interface SimulatedEngine {
  readonly node: SimulatedNode;
  readonly bus: Awaited<ReturnType<typeof createBus>>;
  readonly store: Store;
  readonly membership: Membership;
  readonly news: readonly ClusterNews[];
  leadership(): Leadership | undefined;
  end(): ServiceError | undefined;
  /** Whether its source is being run, and so would ask the outside world. */
  isAsking(): boolean;
  /** Delivers facts as its source would; rejects while that is not run. */
  deliver(...facts: readonly Fact[]): Promise<void>;
  stop(): Promise<void>;
}

const STEP_MS = 20;
const GIVE_UP_MS = 90_000;
const STARTED_AT = Date.UTC(2026, 3, 9, 12);

export function createSimulatedShard(seed: number): SimulatedShard {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const running = new Set<SimulatedEngine>();
  let ids = 0;

  const step = async (ms: number) => {
    await time.advance(ms);
    // What an engine does by itself, such as starting its sources, takes real time.
    await delay(1);
  };
  const until = async (what: string, holds: () => boolean) => {
    for (const from = time.mono(); !holds(); await step(STEP_MS)) {
      if (time.mono() - from > GIVE_UP_MS) throw new Error(`never came: ${what}`);
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

  const connect = async () => {
    const node = cluster.connect();
    const bus = await settled(
      createBus({
        transport: node.transport,
        time: node.time,
        newId: () => `id${++ids}`,
        isEngine: true,
        report: () => undefined,
      }),
    );
    return { node, bus };
  };

  return {
    cluster,
    connect,
    until,
    settled,
    mono: time.mono,
    async pass(ms) {
      for (const end = time.mono() + ms; time.mono() < end; ) await step(STEP_MS);
    },
    async start({ store = createMemoryStore(), shard = 'main', calendarMs = 0 } = {}) {
      const { node, bus } = await connect();
      const name = `engine${++ids}`;
      const clock = { wall: () => STARTED_AT + calendarMs + Math.round(time.mono()), mono: time.mono };
      let context: SourceContext | undefined;
      const source: Source = {
        name: 'posts:a',
        silentAfterMs: 3_600_000,
        run: (given) =>
          new Observable(() => {
            context = given;
            return () => {
              context = undefined;
            };
          }),
      };
      const engine = await openStandby({
        store,
        latest: createLatest(store.outputs),
        clock,
        random: () => 0,
        sources: [source],
        settings: settings(),
        agreedNow: clock.wall,
        retentionDays: 90,
        checkpointMs: 3_600_000,
        disk: async () => ({ usedBytes: 30, freeBytes: 70, usedShare: 0.3 }),
        report: () => undefined,
      });
      const news: ClusterNews[] = [];
      let leadership: Leadership | undefined;
      let leading: Engine | undefined;
      let end: ServiceError | undefined;
      const membership = await settled(
        joinShard({
          bus,
          shard,
          owner: name,
          member: name,
          host: 'here',
          version: '1.0.0',
          data: `/folder/of/${name}`,
          store,
          engine,
          time: node.time,
          now: clock.wall,
          async lead(won) {
            leadership = won;
            leading = engine.lead({ publishing: won.publishing.publishing, mayAsk: won.lease.isHeld });
          },
          stopLeading: async () => leading?.stop(),
          lastAppendMs: 1_000,
          report: (each) => news.push(each),
        }),
      );
      void membership.over.then((error) => {
        end = error;
      });
      const started: SimulatedEngine = {
        node,
        bus,
        store,
        membership,
        news,
        leadership: () => leadership,
        end: () => end,
        isAsking: () => context !== undefined,
        async deliver(...facts) {
          if (context === undefined) throw new Error('the source is not run');
          await context.deliver(facts);
        },
        async stop() {
          running.delete(started);
          await settled(membership.stop());
          await bus.close();
        },
      };
      running.add(started);
      return started;
    },
    async close() {
      for (const { node, bus, membership } of running) {
        node.resume();
        await bus.close();
        await settled(membership.stop()).catch(() => undefined);
      }
    },
  };
}
