import { createBus } from '../../src/bus/create-bus.ts';
import { realTime } from '../../src/bus/time.ts';
import type { Stream, Transport } from '../../src/bus/transport.ts';
import { snapshotParts } from '../../src/cluster/engine/snapshot-contents.ts';
import { encodeSnapshot } from '../../src/cluster/entries/snapshot-format.ts';
import type { Config } from '../../src/config/config.ts';
import type { ServiceError } from '../../src/errors.ts';
import type { ClusterMachine } from '../../src/service/cluster-machine.ts';
import { openEdge } from '../../src/service/edge.ts';
import type { Logger } from '../../src/service/logger.ts';
import type { Machine } from '../../src/service/machine.ts';
import { memberName } from '../../src/service/member-name.ts';
import { openService, type Service } from '../../src/service/service.ts';
// The service loads it when it needs it, which must not take real time.
import '../../src/service/shard-member.ts';
import type { SourceSettings } from '../../src/sources/settings.ts';
import type { SimulatedCluster, SimulatedNode } from '../support/bus/simulated-cluster.ts';
import { chanceOf } from './chance.ts';
import type { Kernel, Owner } from './kernel.ts';
import type { Network } from './network.ts';
import type { SimulatedFolders } from './simulated-folders.ts';
import type { SimulatedWorkers } from './simulated-workers.ts';

/** How a process is kept from the bus: nothing comes or goes, or what it sends arrives and nothing comes back. */
export type Cut = 'cut' | 'deaf';

/** A process of the cluster that is killed, stopped and started again on the same disk. */
export interface SimulatedMember {
  readonly name: string;
  /** Under which it tells the others of itself. */
  readonly member: string;
  readonly role: 'engine' | 'edge';
  readonly url: string;
  readonly data: string;
  readonly folders: SimulatedFolders;
  readonly lives: number;
  /** The present life; undefined while there is none. */
  readonly life: Owner | undefined;
  /** Of the present life, once it is open. */
  readonly service: Service | undefined;
  start(): void;
  /** Ends the present life, as `kill -9` does. */
  kill(): void;
  /** Ends it in order, as SIGTERM does. It is started again soon. */
  stop(): void;
  cutOff(how: Cut | undefined): void;
  /** Runs a command in the process, as `tallywire keys` does. Never settles where the process dies meanwhile. */
  command(command: unknown): Promise<unknown>;
}

interface MemberDeps {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly cluster: SimulatedCluster;
  readonly folders: SimulatedFolders;
  readonly workers: SimulatedWorkers;
  readonly seed: number;
  readonly name: string;
  readonly config: Config;
  readonly sources: Partial<SourceSettings>;
  readonly fetchFor: Machine['fetchFor'];
  readonly log: Logger;
  /** Owns what starts the process again. */
  readonly supervisor: Owner;
  /** Told each message that a life sends to the stream of a shard, and its place once that is known to the sender. */
  readonly onPublish: (life: Owner, subject: string, id: string, place: number | undefined) => void;
  readonly onFailedStart: (error: unknown) => void;
  /** Told when it begins to stop by itself, with the reason. */
  readonly onEnd: (end: ServiceError) => void;
  /** Told when it had to be ended by force, as it did not stop in time. */
  readonly onForced: () => void;
}

/** How long after its end a process is started again, as supervisors do. */
const RESTART_MS = 2_000;
/** From the beginning of a stop until a process is ended by force, as the program does it. */
const GRACE_MS = 25_000;
/** Reading a store for a snapshot takes this long, ms. */
const SNAPSHOT_LEAST_MS = 50;
const SNAPSHOT_SPREAD_MS = 900;
/** A machine that has run for a day. */
const UPTIME_MS = 86_400_000;

export function createMember(deps: MemberDeps): SimulatedMember {
  const { kernel, network, cluster, folders, name, config, log } = deps;
  const { cluster: clusterConfig, data } = config;
  if (clusterConfig === null) throw new TypeError(`${name} is no member of a cluster`);
  const { role } = clusterConfig;
  const chance = chanceOf(deps.seed, `snapshots of ${name}`);
  const nodes = new Set<SimulatedNode>();
  let cut: Cut | undefined;
  let lives = 0;
  let life: Owner | undefined;
  let service: Service | undefined;
  /** Takes commands in the present life. */
  let control: { readonly own: Owner; readonly run: (command: unknown) => Promise<unknown> } | undefined;
  let ids = 0;
  const newId = () => `${name.replaceAll(/\W/g, '')}x${String(++ids).padStart(7, '0')}`;

  function applyCut(node: SimulatedNode): void {
    if (cut === 'cut') node.cutOff();
    else node.rejoin();
    node.setDeaf(cut === 'deaf');
  }

  const machine: Machine = {
    random: chanceOf(deps.seed, `restarts of sources of ${name}`),
    newId,
    listen: network.listen,
    lockFolder: async () => ({ privacy: 'private', release: async () => undefined }),
    openStore: async () => ({
      store: folders.storeIn(data).open(),
      settled: () => undefined,
      finished: () => undefined,
    }),
    diskUse: async () => ({ usedBytes: 10, freeBytes: 90, usedShare: 0.1 }),
    async openControlSocket(_folder, run) {
      const opened = { own: kernel.owner, run };
      control = opened;
      return {
        async close() {
          if (control === opened) control = undefined;
        },
      };
    },
    startWorker: deps.workers.start,
    fetchFor: deps.fetchFor,
  };
  const clusterMachine: ClusterMachine = {
    async openBus({ role: { type }, report }) {
      const own = kernel.owner;
      const isEngine = type === 'engine';
      const node = cluster.connect({ isEngine, run: (act) => void kernel.schedule(0, act, own) });
      nodes.add(node);
      applyCut(node);
      const transport = watched(node.transport, (subject, id, place) =>
        deps.onPublish(own, subject, id, place),
      );
      return createBus({ transport, time: realTime, newId, isEngine, report });
    },
    async *takeSnapshot({ folder, ...options }) {
      await pause(SNAPSHOT_LEAST_MS + chance() * SNAPSHOT_SPREAD_MS);
      // All of it at once, and so of one state of the store.
      const chunks = [...encodeSnapshot(snapshotParts(folders.storeIn(folder).kept, options))];
      await pause(chance() * SNAPSHOT_SPREAD_MS);
      yield* chunks;
    },
    setStoreAside: folders.setAside,
    countStoresAside: folders.countAside,
    cacheDisk: folders.caches,
  };
  const system = {
    wall: () => Date.now(),
    mono: () => performance.now(),
    sinceBoot: () => UPTIME_MS + kernel.now(),
  };

  function open(): Promise<Service> {
    if (role === 'edge' && clusterConfig !== null)
      return openEdge({ ...config, cluster: clusterConfig }, log, { clock: system, machine, clusterMachine });
    return openService(config, log, { machine, clusterMachine, system, sources: deps.sources });
  }

  function start(): void {
    if (life !== undefined) return;
    lives += 1;
    const own = { name: `${name}, life ${lives}` };
    life = own;
    kernel.schedule(0, () => void live(own), own);
  }

  async function live(own: Owner): Promise<void> {
    let opened: Service;
    try {
      opened = await open();
    } catch (error) {
      deps.onFailedStart(error);
      over(own);
      return;
    }
    service = opened;
    const end = await Promise.race([opened.damaged, opened.over]);
    // It may have been asked to stop before.
    if (service !== opened) return;
    deps.onEnd(end);
    stopNow(own, opened);
  }

  function stopNow(own: Owner, opened: Service): void {
    if (service !== opened) return;
    service = undefined;
    const forcing = setTimeout(() => {
      deps.onForced();
      over(own);
    }, GRACE_MS);
    void opened
      .stop()
      .catch((error: unknown) => log.error({ err: error }, 'stopping failed'))
      .then(() => {
        clearTimeout(forcing);
        over(own);
      });
  }

  function over(own: Owner): void {
    if (life !== own) return;
    end(own);
    kernel.schedule(RESTART_MS, start, deps.supervisor);
  }

  function end(own: Owner): void {
    kernel.kill(own);
    network.kill(own);
    folders.kill(own);
    for (const node of nodes) node.kill();
    nodes.clear();
    life = undefined;
    service = undefined;
    control = undefined;
  }

  return {
    name,
    member: memberName(role, data),
    role,
    url: `http://${config.host}:${config.port}`,
    data,
    folders,
    get lives() {
      return lives;
    },
    get life() {
      return life;
    },
    get service() {
      return service;
    },
    start,
    kill() {
      if (life !== undefined) end(life);
    },
    stop() {
      const [own, opened] = [life, service];
      if (own !== undefined && opened !== undefined) kernel.schedule(0, () => stopNow(own, opened), own);
    },
    cutOff(how) {
      cut = how;
      for (const node of nodes) applyCut(node);
    },
    command: (command) =>
      new Promise((resolve, reject) => {
        const asker = kernel.owner;
        const taker = control;
        if (taker === undefined) {
          reject(new Error(`${name} takes no commands`));
          return;
        }
        const act = () =>
          void taker.run(command).then(
            (answer) => kernel.schedule(0, () => resolve(answer), asker),
            (error: unknown) => kernel.schedule(0, () => reject(error), asker),
          );
        kernel.schedule(0, act, taker.own);
      }),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const SHARD = /^shard_/;

/** The same transport, which tells what is sent to streams of shards. */
function watched(
  transport: Transport,
  onPublish: (subject: string, id: string, place: number | undefined) => void,
): Transport {
  return {
    ...transport,
    async openStream(spec) {
      const stream = await transport.openStream(spec);
      if (stream === undefined || !SHARD.test(spec.name)) return stream;
      const publish: Stream['publish'] = async (message, expected) => {
        onPublish(message.subject, message.id ?? '', undefined);
        const place = await stream.publish(message, expected);
        if (place !== 'refused') onPublish(message.subject, message.id ?? '', place);
        return place;
      };
      return { ...stream, publish };
    },
  };
}
