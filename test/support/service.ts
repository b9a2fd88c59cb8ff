import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/engine/clock.ts';
import { openService, type Service } from '../../src/service/service.ts';
import { openWorld, type World } from '../../src/world/world.ts';

/** A world and a service that reads it, both living at a time of the test's choice. */
export interface Stage {
  readonly world: World;
  readonly clock: Clock;
  readonly data: string;
  url(): string;
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Periods short enough that a test waits for effects, not for polls. */
const QUICK = {
  postsPeriodMs: 50,
  deletionsPeriodMs: 100,
  oraclePeriodMs: 100,
  trackingsPeriodMs: 200,
  uiPeriodMs: 100,
  eventsPeriodMs: 200,
  closedEventsPeriodMs: 500,
  archivePauseMs: 1,
};

export interface StageOptions {
  readonly startAt: number;
  /** Called before the service first looks at the world. */
  readonly before?: (world: World) => void;
  readonly historyDays?: number;
  /** Of the world. */
  readonly seed?: number;
}

export async function openStage({
  startAt,
  before,
  historyDays = 40,
  seed = 3,
}: StageOptions): Promise<Stage> {
  const offset = startAt - Date.now();
  const clock: Clock = { wall: () => Date.now() + offset, mono: () => performance.now() };
  const data = await mkdtemp(join(tmpdir(), 'tallywire-stage-'));
  const world = await openWorld({ seed, startAt, now: clock.wall });
  before?.(world);
  const open = () => {
    const flags = { port: '0', data, world: world.url, historyDays: String(historyDays) };
    return openService(parseConfig({ flags, env: {} }), pino({ level: 'silent' }), { clock, sources: QUICK });
  };
  let service: Service = await open();
  return {
    world,
    clock,
    data,
    url: () => service.url,
    async restart() {
      await service.stop();
      service = await open();
    },
    async close() {
      await service.stop();
      await world.close();
      await rm(data, { recursive: true });
    },
  };
}
