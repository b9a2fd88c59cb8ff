import { MINUTE_MS } from '../../streams/internal.ts';
import type { Clock, SystemClock } from '../engine/clock.ts';
import { createHeldTime, type TimeDoubt } from '../resilience/held-time.ts';
import { spedUp } from '../resilience/sped-up.ts';
import type { SourceContext } from '../sources/source.ts';
import { createWorldTime } from '../sources/world-time.ts';
import type { Logger } from './logger.ts';
import type { Shutdown } from './shutdown.ts';
import { spanText } from './span-text.ts';

/** The time that everything in the service goes by. */
interface ServiceTime {
  readonly clock: Clock;
  /** Ms since the machine was started, its sleep included. Nobody can set it. */
  readonly sinceBoot: () => number;
  readonly onHeaders: SourceContext['onHeaders'];
  /** UTC ms; undefined unless machine and world agree on it. */
  readonly agreedNow: () => number | undefined;
  readonly doubt: () => TimeDoubt | undefined;
}

const WATCH_MS = 5_000;

/** The calendar of the machine, checked against its time since boot and against the hosts that sources read. */
export function openTime(system: SystemClock): ServiceTime {
  const world = createWorldTime(system.sinceBoot);
  const { now, doubt } = createHeldTime({ ...system, world: world.now });
  return {
    clock: { wall: now, mono: system.mono },
    sinceBoot: system.sinceBoot,
    onHeaders: world.onHeaders,
    agreedNow() {
      const told = world.now();
      return told === undefined || doubt() !== undefined ? undefined : Math.min(told, now());
    },
    doubt,
  };
}

/** The same time, where what the hosts that are read say of it does not count. */
export function withoutHosts({ clock, sinceBoot, doubt }: ServiceTime): ServiceTime {
  const agreedNow = () => (doubt() === undefined ? clock.wall() : undefined);
  return { clock, sinceBoot, onHeaders: () => undefined, agreedNow, doubt };
}

/**
 * The same time, but its calendar runs `speed` times as fast from `fromAt` (UTC ms) on. What concerns this machine, such as
 * time limits and how long ago a source answered, goes by `mono` and stays as it is.
 */
export function spedUpTime(time: ServiceTime, fromAt: number, speed: number): ServiceTime {
  const wall = spedUp(time.clock.wall, fromAt, speed);
  const agreedNow = () => (time.agreedNow() === undefined ? undefined : wall());
  return { ...time, clock: { wall, mono: time.clock.mono }, agreedNow };
}

/** A clock whose calendar needs no proof, and tells what has passed as well as the time since boot does. */
export function timeOf(clock: Clock): ServiceTime {
  const { wall } = clock;
  return { clock, sinceBoot: wall, onHeaders: () => undefined, agreedNow: wall, doubt: () => undefined };
}

/** Logs when the time comes into doubt, and when it is beyond doubt again. */
export function watchTime({ doubt }: ServiceTime, log: Logger, shutdown: Shutdown): void {
  let last: TimeDoubt | undefined;
  const timer = setInterval(() => {
    const present = doubt();
    if (present !== undefined && present.sign !== last?.sign) log.warn(present, doubtText(present));
    if (present === undefined && last !== undefined) log.info('the clocks agree again');
    last = present;
  }, WATCH_MS);
  shutdown.add(async () => clearInterval(timer));
}

/** What an operator has to know, or undefined when the time is right. */
export function timeFault(doubt: TimeDoubt | undefined, logAheadMs: number): string | undefined {
  if (doubt !== undefined) return doubtText(doubt);
  if (logAheadMs < MINUTE_MS) return undefined;
  return `the log is ${spanText(logAheadMs)} ahead of the calendar, which was set back; its time stands still until then`;
}

function doubtText({ sign, byMs }: TimeDoubt): string {
  const span = `${spanText(Math.abs(byMs))} ${byMs > 0 ? 'ahead of' : 'behind'}`;
  return sign === 'calendar'
    ? `the calendar of the machine was set ${span} the time and is not believed yet`
    : `the hosts that are read are ${span} the calendar of the machine`;
}
