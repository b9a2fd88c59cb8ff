import net from 'node:net';
import * as z from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import type { ServiceError } from '../../src/errors.ts';
import type { Logger } from '../../src/service/logger.ts';
import type { HttpExchange } from '../../src/sources/http-exchange.ts';
import { openWorld, type World } from '../../src/world/world.ts';
import { createSimulatedCluster, type SimulatedCluster } from '../support/bus/simulated-cluster.ts';
import { chanceOf } from './chance.ts';
import { createKernel, type Kernel, type Owner } from './kernel.ts';
import { createNetwork, type Network } from './network.ts';
import { settled } from './settled.ts';
import type { OnKept } from './simulated-disk.ts';
import { createSimulatedExchange } from './simulated-exchange.ts';
import { createSimulatedFetch } from './simulated-fetch.ts';
import { createSimulatedFolders } from './simulated-folders.ts';
import { createMember, type SimulatedMember } from './simulated-member.ts';
import { createSimulatedWorkers } from './simulated-workers.ts';
import { loggerTo, START_AT } from './stage.ts';
import { TIERS } from './tier.ts';
import { installVirtualGlobals } from './virtual-globals.ts';

const WORLD_HOST = 'world.test';
const WORLD_PORT = 80;
/** Where engines learn the addresses of the world, which is no question to a source. */
const WORLD_CONTROL = '/control/';
const SHARD = 'main';
/** Of posts, which are read at the first start. */
export const HISTORY_DAYS = 1;
/** Larger entries go in parts, and some are larger. */
const LARGEST_BODY = 64 * 1_024;

export interface ClusterStageOptions {
  readonly seed: number;
  readonly onKept: (member: string, ...kept: Parameters<OnKept>) => void;
  /** Told what a process tells its operator. */
  readonly onLog: (member: string, level: keyof Logger, message: string, fields: object) => void;
  /** Told when a process asks a source of the outside world. */
  readonly onAsk: (asker: Owner) => void;
  /** Told what a process is answered by the world, once it has read all of it. */
  readonly onRead: (life: Owner, url: URL, text: string) => void;
  readonly onPublish: (life: Owner, subject: string, id: string, place: number | undefined) => void;
  readonly onFailedStart: (member: string, error: unknown) => void;
  /** Told when a process ends by itself, and when one had to be ended by force. */
  readonly onEnd: (member: SimulatedMember, end: ServiceError) => void;
  readonly onForced: (member: SimulatedMember) => void;
  /** Told of failures that nobody handled. */
  readonly onFailure: (error: unknown) => void;
}

/** One world, two engines of one shard and two edges on a simulated bus. */
export interface ClusterStage {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly bus: SimulatedCluster;
  readonly world: World;
  readonly owners: { readonly world: Owner; readonly reader: Owner; readonly asker: Owner };
  readonly engines: readonly [SimulatedMember, SimulatedMember];
  readonly edges: readonly [SimulatedMember, SimulatedMember];
  readonly members: readonly SimulatedMember[];
  /** The engine that the lease names; undefined where it names none. */
  leader(): SimulatedMember | undefined;
  /** UTC ms. */
  trueNow(): number;
  /** Puts the globals of the process back. */
  close(): void;
}

const lease = z.object({ owner: z.string() });

export async function openClusterStage(options: ClusterStageOptions): Promise<ClusterStage> {
  const { seed, onKept, onLog, onAsk, onFailure } = options;
  const kernel = createKernel();
  const network = createNetwork(kernel, chanceOf(seed, 'latencies'));
  const owners = {
    world: { name: 'world' },
    reader: { name: 'reader' },
    asker: { name: 'asker' },
    bus: { name: 'bus' },
  };
  const simulatedFetch = createSimulatedFetch(network);
  const fetchFor = (source: string): HttpExchange => {
    const ask = createSimulatedExchange({ network, kernel, source, onAnswer: options.onRead });
    return (url, init) => {
      onAsk(kernel.owner);
      return ask(url, init);
    };
  };
  const globals = installVirtualGlobals({
    kernel,
    startAt: START_AT,
    random: chanceOf(seed, 'Math.random'),
    others: [
      [
        globalThis,
        {
          fetch: (input: string | URL, init?: RequestInit) => {
            const { hostname, pathname } = new URL(input);
            if (hostname === WORLD_HOST && !pathname.startsWith(WORLD_CONTROL)) onAsk(kernel.owner);
            return simulatedFetch(input, init);
          },
        },
      ],
      [
        net,
        {
          connect({ host, port }: { host: string; port: number }) {
            if (host === WORLD_HOST) onAsk(kernel.owner);
            return network.connect(host, port);
          },
        },
      ],
    ],
  });
  process.on('unhandledRejection', onFailure);
  process.on('uncaughtException', onFailure);

  const bus = createSimulatedCluster(
    seed,
    {
      mono: kernel.now,
      after(ms, run) {
        const scheduled = kernel.schedule(ms, run, owners.bus);
        return () => scheduled.cancel();
      },
    },
    LARGEST_BODY,
  );
  const trueNow = () => START_AT + Math.floor(kernel.now());
  const opening = kernel.as(owners.world, () =>
    openWorld({
      seed,
      startAt: START_AT,
      now: trueNow,
      listen: network.listen,
      host: WORLD_HOST,
      port: WORLD_PORT,
    }),
  );
  const world = await settled(kernel, opening);
  const {
    flags,
    model,
    pace: { sources },
  } = TIERS.sparse;

  function member(role: 'engine' | 'edge', n: number): SimulatedMember {
    const name = `${role} ${n}`;
    const config = parseConfig({
      flags: {
        ...flags,
        historyDays: String(HISTORY_DAYS),
        role,
        bus: 'nats://simulated:4222',
        shard: SHARD,
        ...(role === 'engine' && { payments: 'demo' }),
        port: String((role === 'engine' ? 8_080 : 9_080) + n),
        data: `/simulated/${role}-${n}`,
        world: world.url,
        accounts: '2',
        feedConnectsPerMinute: '10000',
      },
      env: {},
    });
    const made: SimulatedMember = createMember({
      kernel,
      network,
      cluster: bus,
      folders: createSimulatedFolders(kernel, seed, (...kept) => onKept(name, ...kept)),
      workers: createSimulatedWorkers(kernel, chanceOf(seed, `workers of ${name}`), model),
      seed,
      name,
      config,
      sources,
      fetchFor,
      log: loggerTo((level, message, fields) => onLog(name, level, message, fields)),
      supervisor: owners.world,
      onPublish: options.onPublish,
      onFailedStart: (error) => options.onFailedStart(name, error),
      onEnd: (end) => options.onEnd(made, end),
      onForced: () => options.onForced(made),
    });
    return made;
  }

  const engines = [member('engine', 1), member('engine', 2)] as const;
  const edges = [member('edge', 1), member('edge', 2)] as const;
  return {
    kernel,
    network,
    bus,
    world,
    owners,
    engines,
    edges,
    members: [...engines, ...edges],
    leader() {
      const there = bus.find('values')?.newest(`lease.${SHARD}`);
      if (there === undefined) return undefined;
      const { owner } = lease.parse(JSON.parse(Buffer.from(there.body).toString()));
      return engines.find((engine) => owner.startsWith(`${engine.member}-`));
    },
    trueNow,
    close() {
      process.off('unhandledRejection', onFailure);
      process.off('uncaughtException', onFailure);
      globals.restore();
    },
  };
}
