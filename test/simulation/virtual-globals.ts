import { syncBuiltinESMExports } from 'node:module';
import { getDefaultHighWaterMark, setDefaultHighWaterMark } from 'node:stream';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { Chance } from './chance.ts';
import type { Kernel, Owner, Scheduled } from './kernel.ts';

export interface VirtualGlobals {
  /** Sets the calendar forward by `ms`, or back. */
  stepCalendar(ms: number): void;
  /** UTC ms by the calendar. */
  wall(): number;
  /** Puts everything back. */
  restore(): void;
}

interface VirtualOptions {
  readonly kernel: Kernel;
  /** UTC ms of the calendar at virtual time 0. */
  readonly startAt: number;
  /** Given by `Math.random`. */
  readonly random: Chance;
  /**
   * How many times slower the clock of an owner runs, and what it does every second or more often; 1 unless given. Longer
   * waits and the calendar are those of all.
   */
  readonly slowness?: (owner: Owner) => number;
  /** How many times longer those intervals of an owner are that are 5 s or less; 1 unless given. */
  readonly intervalSlowness?: (owner: Owner) => number;
  /** What has passed by the clock of an owner; virtual time divided by its slowness unless given. */
  readonly passedMs?: (owner: Owner) => number;
  /** What else is replaced, by name, in what holds it. */
  readonly others?: readonly (readonly [holder: object, values: Readonly<Record<string, unknown>>])[];
}

/** The longest delay that Node takes; a longer one counts as 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** What is done at least this often is slowed down for some. */
const SHORT_MS = 1_000;
/** The same of what is repeated. */
const SHORT_INTERVAL_MS = 5_000;
/** `performance.now` at virtual time 0: a process that has run for a while. */
const UPTIME_MS = 5_000;

type Callback = (...args: readonly unknown[]) => void;

/** As Node does: a delay is a whole number of ms, and at least one. */
function delayOf(ms: unknown): number {
  const number = Number(ms);
  return number >= 1 && number <= MAX_DELAY_MS ? Math.trunc(number) : 1;
}

/** What `setTimeout`, `setInterval` and `setImmediate` return. */
class VirtualTimer {
  readonly #kernel: Kernel;
  readonly #act: () => void;
  readonly #delayMs: () => number;
  readonly #isRepeated: boolean;
  readonly #owner;
  #scheduled: Scheduled | undefined;
  #hasRef = true;

  constructor(kernel: Kernel, act: () => void, delayMs: () => number, isRepeated = false) {
    this.#kernel = kernel;
    this.#act = act;
    this.#delayMs = delayMs;
    this.#isRepeated = isRepeated;
    this.#owner = kernel.owner;
    this.#arm();
  }

  #arm(): void {
    this.#scheduled = this.#kernel.schedule(this.#delayMs(), () => this.#fire(), this.#owner);
  }

  #fire(): void {
    this.#scheduled = undefined;
    if (this.#isRepeated) this.#arm();
    this.#act();
  }

  close(): this {
    this.#scheduled?.cancel();
    this.#scheduled = undefined;
    return this;
  }

  refresh(): this {
    this.close();
    this.#arm();
    return this;
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }
}

function stopTimer(timer: unknown): void {
  if (timer instanceof VirtualTimer) timer.close();
}

interface Abortable {
  readonly signal?: AbortSignal;
}

/** As `timers/promises` does: rejects with an AbortError once the signal is aborted. */
function settleLater<T>(
  start: (done: () => void) => VirtualTimer,
  value: T,
  { signal }: Abortable = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer?.close();
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
    };
    let timer: VirtualTimer | undefined;
    if (signal?.aborted === true) {
      abort();
      return;
    }
    timer = start(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function notSimulated(name: string): () => never {
  return () => {
    throw new TypeError(`${name} of timers/promises is not simulated`);
  };
}

/** `Date` by the virtual calendar. */
function dateBy(wall: () => number): DateConstructor {
  const real = Date;
  const virtual: DateConstructor = new Proxy(real, {
    apply: () => new real(wall()).toString(),
    construct: (target, args, made) =>
      Reflect.construct(target, args.length === 0 ? [wall()] : args, made === virtual ? target : made),
    get: (target, name) => (name === 'now' ? wall : Reflect.get(target, name)),
  });
  return virtual;
}

/** How much a stream takes before it says that it is full, which differs between versions of Node. */
const BUFFERED_BYTES = 16 * 1_024;

/**
 * Replaces the timers, the calendar, the clock and the chance of this process by virtual ones, so that they reach packages
 * and Node's own modules in JavaScript too, and lets streams take the same in every version of Node. Nothing else may run
 * in the process meanwhile.
 */
export function installVirtualGlobals(options: VirtualOptions): VirtualGlobals {
  const { kernel, startAt, random, slowness = () => 1, intervalSlowness = () => 1, others = [] } = options;
  const { passedMs = (owner: Owner) => kernel.now() / slowness(owner) } = options;
  let steppedMs = 0;
  const wall = () => Math.floor(startAt + kernel.now()) + steppedMs;
  const undo: (() => void)[] = [];

  function replace(holder: object, name: string, value: unknown): void {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    Object.defineProperty(holder, name, { value, configurable: true, enumerable: true, writable: true });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, own);
    });
  }

  /** The delay of each turn of a timer, as the clock of its owner may run at another pace by then. */
  const slowed = (ms: number, isRepeated: boolean) => {
    const { owner } = kernel;
    const isShort = ms <= SHORT_MS;
    const isShortInterval = isRepeated && ms <= SHORT_INTERVAL_MS;
    return () => ms * (isShort ? slowness(owner) : 1) * (isShortInterval ? intervalSlowness(owner) : 1);
  };
  const start = (act: Callback, ms: unknown, args: readonly unknown[], isRepeated = false) =>
    new VirtualTimer(kernel, () => act(...args), slowed(delayOf(ms), isRepeated), isRepeated);
  const startNow = (act: Callback, args: readonly unknown[]) =>
    new VirtualTimer(
      kernel,
      () => act(...args),
      () => 0,
    );

  const virtualTimers = {
    setTimeout: (act: Callback, ms?: unknown, ...args: unknown[]) => start(act, ms, args),
    setInterval: (act: Callback, ms?: unknown, ...args: unknown[]) => start(act, ms, args, true),
    setImmediate: (act: Callback, ...args: unknown[]) => startNow(act, args),
    clearTimeout: stopTimer,
    clearInterval: stopTimer,
    clearImmediate: stopTimer,
  };
  for (const [name, value] of Object.entries(virtualTimers)) {
    replace(globalThis, name, value);
    replace(timers, name, value);
  }
  replace(globalThis, 'Date', dateBy(wall));
  for (const [holder, values] of others)
    for (const [name, value] of Object.entries(values)) replace(holder, name, value);
  replace(performance, 'now', () => UPTIME_MS + passedMs(kernel.owner));
  replace(Math, 'random', random);
  const bufferedBytes = getDefaultHighWaterMark(false);
  setDefaultHighWaterMark(false, BUFFERED_BYTES);
  undo.push(() => setDefaultHighWaterMark(false, bufferedBytes));
  replace(AbortSignal, 'timeout', (ms: number) => {
    const controller = new AbortController();
    const late = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    start(() => controller.abort(late()), ms, []);
    return controller.signal;
  });
  replace(timersPromises, 'setTimeout', (ms?: number, value?: unknown, how?: Abortable) =>
    settleLater((done) => start(done, ms, []), value, how),
  );
  replace(timersPromises, 'setImmediate', (value?: unknown, how?: Abortable) =>
    settleLater((done) => startNow(done, []), value, how),
  );
  replace(timersPromises, 'setInterval', notSimulated('setInterval'));
  syncBuiltinESMExports();

  return {
    wall,
    stepCalendar(ms) {
      steppedMs += ms;
    },
    restore() {
      for (const each of undo.reverse()) each();
      syncBuiltinESMExports();
    },
  };
}
