import net from 'node:net';
import { parseConfig } from '../../src/config/config.ts';
import type { Logger } from '../../src/service/logger.ts';
import { openService, type Service } from '../../src/service/service.ts';
import { openWorld, type World } from '../../src/world/world.ts';
import { chanceOf } from './chance.ts';
import type { Asked } from './delivered-values.ts';
import { createKernel, type Kernel, type Owner } from './kernel.ts';
import { createNetwork, type Network } from './network.ts';
import { settled } from './settled.ts';
import { createSimulatedDisk, type OnKept, type SimulatedDisk } from './simulated-disk.ts';
import { createSimulatedExchange } from './simulated-exchange.ts';
import { createSimulatedFetch } from './simulated-fetch.ts';
import { simulatedMachine } from './simulated-machine.ts';
import { createSimulatedWorkers, type SimulatedWorkers } from './simulated-workers.ts';
import { type Pace, readerSlowness, TIERS, type Tier } from './tier.ts';
import { installVirtualGlobals } from './virtual-globals.ts';

/** When every simulation begins, UTC. */
export const START_AT = Date.UTC(2026, 10, 4, 15);
export const SERVICE_URL = 'http://127.0.0.1:8080';
const WORLD_HOST = 'world.test';
const WORLD_PORT = 80;
/** A machine that has run for a day. */
const UPTIME_MS = 86_400_000;
/** How long after a start that failed the engine is started again. */
const RESTART_MS = 10_000;

export interface StageOptions {
  readonly seed: number;
  readonly tier: Tier;
  readonly onKept: OnKept;
  /** Told what the service tells its operator. */
  readonly onLog: (level: keyof Logger, message: string, fields: object) => void;
  /** Told what a source of the engine is answered by the world, once it has read all of it. */
  readonly onRead: (life: Owner, url: URL, text: string, asked: Asked) => void;
  /** Told of failures that nobody handled, and of starts that failed. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** A world, and an engine that is killed and started again on the same disk. */
export interface Stage {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly disk: SimulatedDisk;
  readonly workers: SimulatedWorkers;
  readonly world: World;
  readonly owners: { readonly world: Owner; readonly reader: Owner; readonly asker: Owner };
  /** The present life of the engine; undefined while there is none. */
  readonly life: Owner | undefined;
  /** The service of the present life, once it serves everything. */
  readonly service: Service | undefined;
  readonly lives: number;
  /** Of the present life. */
  readonly pace: Pace;
  /** UTC ms in the world, whatever the engine's calendar shows. */
  trueNow(): number;
  /** UTC ms as the engine's machine shows it. */
  calendar(): number;
  /** Sets the calendar of the engine's machine forward by so many ms, or back. */
  stepCalendar(ms: number): void;
  start(): void;
  /** Ends the present life, as `kill -9` does. */
  kill(): void;
  /** Sets the pace of the lives that follow. */
  setPace(pace: Pace): void;
  /** Puts the globals of the process back. */
  close(): void;
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { seed, tier, onKept, onLog, onRead, onFailure } = options;
  const kernel = createKernel();
  const network = createNetwork(kernel, chanceOf(seed, 'latencies'));
  const disk = createSimulatedDisk(kernel, chanceOf(seed, 'disk'), onKept);
  const owners = { world: { name: 'world' }, reader: { name: 'reader' }, asker: { name: 'asker' } };
  const fetchFor = (source: string) =>
    createSimulatedExchange({
      network,
      kernel,
      source,
      onAnswer: (owner, url, text, askedAt) => onRead(owner, url, text, { source, askedAt }),
    });
  let life: Owner | undefined;
  let { pace } = TIERS[tier];
  /** When the pace was set, and what had passed by the clock of the reader then. */
  let paced = { at: 0, readerMs: 0 };
  const readerMs = () => paced.readerMs + (kernel.now() - paced.at) / readerSlowness(pace);
  const globals = installVirtualGlobals({
    kernel,
    startAt: START_AT,
    random: chanceOf(seed, 'Math.random'),
    slowness: (owner) => (owner === owners.reader ? readerSlowness(pace) : 1),
    intervalSlowness(owner) {
      if (owner === owners.world) return pace.slowness.world;
      return owner === life ? pace.slowness.engine : 1;
    },
    passedMs: (owner) => (owner === owners.reader ? readerMs() : kernel.now()),
    others: [
      [globalThis, { fetch: createSimulatedFetch(network) }],
      // What the package of the WebSockets connects with.
      [net, { connect: ({ host, port }: { host: string; port: number }) => network.connect(host, port) }],
    ],
  });
  const onUnhandled = (error: unknown) => onFailure('nobody handled a failure', error);
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);

  const trueNow = () => START_AT + Math.floor(kernel.now());
  const opening = kernel.as(owners.world, () =>
    openWorld({
      seed,
      size: TIERS[tier].world,
      startAt: START_AT,
      now: trueNow,
      listen: network.listen,
      host: WORLD_HOST,
      port: WORLD_PORT,
    }),
  );
  const world = await settled(kernel, opening);
  const { flags, model } = TIERS[tier];
  const workers = createSimulatedWorkers(kernel, chanceOf(seed, 'workers'), model);
  const machine = simulatedMachine({ network, disk, seed, workers, fetchFor });
  const serviceUrl = new URL(SERVICE_URL);
  const configOf = ({ flags: paceFlags }: Pace) =>
    parseConfig({
      flags: {
        ...flags,
        ...paceFlags,
        port: serviceUrl.port,
        data: '/simulated',
        world: world.url,
        accounts: '2',
        payments: 'demo',
      },
      env: {},
    });
  const system = {
    wall: () => Date.now(),
    mono: () => performance.now(),
    sinceBoot: () => UPTIME_MS + kernel.now(),
  };
  const log = loggerTo(onLog);
  let service: Service | undefined;
  let lives = 0;

  function start(): void {
    if (life !== undefined) return;
    lives += 1;
    const own = { name: `engine ${lives}` };
    life = own;
    kernel.schedule(0, () => void live(own), own);
  }

  async function live(own: Owner): Promise<void> {
    const { sources, tickMs } = pace;
    try {
      service = await openService(configOf(pace), log, { machine, system, sources, tickMs });
      void service.damaged.then((error) => onFailure('the store was found damaged', error));
      void service.over.then((error) => onFailure('the service could not go on', error));
    } catch (error) {
      onFailure('a start failed', error);
      end(own);
      kernel.schedule(RESTART_MS, start, owners.world);
    }
  }

  function end(own: Owner): void {
    kernel.kill(own);
    network.kill(own);
    disk.kill(own);
    life = undefined;
    service = undefined;
  }

  return {
    kernel,
    network,
    disk,
    workers,
    world,
    owners,
    get life() {
      return life;
    },
    get service() {
      return service;
    },
    get lives() {
      return lives;
    },
    get pace() {
      return pace;
    },
    trueNow,
    calendar: globals.wall,
    stepCalendar: globals.stepCalendar,
    start,
    kill() {
      if (life !== undefined) end(life);
    },
    setPace(next) {
      paced = { at: kernel.now(), readerMs: readerMs() };
      pace = next;
    },
    close() {
      process.off('unhandledRejection', onUnhandled);
      process.off('uncaughtException', onUnhandled);
      globals.restore();
    },
  };
}

/** A log that passes everything on. */
export function loggerTo(tell: StageOptions['onLog']): Logger {
  const at =
    (level: keyof Logger) =>
    (fields: object | string, message = ''): void =>
      typeof fields === 'string' ? tell(level, fields, {}) : tell(level, message, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
