import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/engine/clock.ts';
import { openService, type Service } from '../../src/service/service.ts';
import { openWorld, type World } from '../../src/world/world.ts';
import { eventually } from './eventually.ts';

/** A world and a service that reads it, both living at a time of the test's choice. */
export interface Stage {
  readonly world: World;
  readonly clock: Clock;
  readonly data: string;
  url(): string;
  /** Lets time pass for world and service. */
  skip(ms: number): void;
  /** Stops the service alone. */
  stop(): Promise<void>;
  /** Stops the service and starts it again on the same data, with other flags if they are given. */
  restart(flags?: Flags): Promise<void>;
  close(): Promise<void>;
}

/** Enough for a forecast, and not for forecasts of the past, which take long. */
const HISTORY_DAYS = 15;

/** Periods short enough that a test waits for effects, not for polls; of two accounts. */
const QUICK = {
  postsPeriodMs: 50,
  deletionsPeriodMs: 100,
  oraclePeriodMs: 100,
  trackingsPeriodMs: 200,
  uiPeriodMs: 100,
  eventsPeriodMs: 200,
  listPeriodMs: 100,
  listPauseMs: 1,
  closedEventsPeriodMs: 500,
  settledPeriodMs: 50,
};

type Flags = Readonly<Record<string, string>>;

export interface StageOptions {
  readonly startAt: number;
  /** Called before the service first looks at the world. */
  readonly before?: (world: World) => void;
  readonly historyDays?: number;
  readonly flags?: Flags;
  /** Of the world. */
  readonly seed?: number;
  /** How many accounts the world has; the service follows all of them unless a flag says otherwise. */
  readonly accounts?: number;
  /** How far the calendar of the service's machine is ahead, ms. With it the service checks its clocks. */
  readonly calendarMs?: () => number;
}

export async function openStage({
  startAt,
  before,
  historyDays = HISTORY_DAYS,
  flags = {},
  seed = 3,
  accounts = 2,
  calendarMs,
}: StageOptions): Promise<Stage> {
  let offset = startAt - Date.now();
  const clock: Clock = { wall: () => Date.now() + offset, mono: () => performance.now() };
  const data = await mkdtemp(join(tmpdir(), 'tallywire-stage-'));
  const world = await openWorld({ seed, accounts, startAt, now: clock.wall });
  before?.(world);
  const time =
    calendarMs === undefined
      ? { clock }
      : {
          system: {
            ...clock,
            wall: () => clock.wall() + calendarMs(),
            sinceBoot: () => clock.wall() - startAt,
          },
        };
  // However many accounts there are, about as much is asked in a second.
  const sources = Object.fromEntries(
    Object.entries(QUICK).map(([name, periodMs]) => [name, (periodMs * Math.max(2, accounts)) / 2]),
  );
  const open = (more: Flags) => {
    const usual = { port: '0', data, accounts: String(accounts), historyDays: String(historyDays) };
    const all = { ...usual, world: world.url, ...more };
    const config = parseConfig({ flags: all, env: {} });
    return openService(config, pino({ level: 'silent' }), { ...time, sources });
  };
  let service: Service = await open(flags);
  await eventually('the events are known', async () => {
    // A standby closes its port for a moment when it leads.
    const answer = await fetch(`${service.url}/api/v1/meta/account_a`).catch(() => undefined);
    return answer?.status === 200;
  });
  return {
    world,
    clock,
    data,
    url: () => service.url,
    skip(ms) {
      offset += ms;
    },
    stop: () => service.stop(),
    async restart(changed = flags) {
      await service.stop();
      service = await open(changed);
    },
    async close() {
      await service.stop();
      await world.close();
      await rm(data, { recursive: true });
    },
  };
}
