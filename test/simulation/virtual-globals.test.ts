import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { interval, take } from 'rxjs';
import { chanceOf } from './chance.ts';
import { createKernel, type Kernel } from './kernel.ts';
import { installVirtualGlobals, type VirtualGlobals } from './virtual-globals.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');

describe('installVirtualGlobals', () => {
  let kernel: Kernel;
  let globals: VirtualGlobals;
  const real = { setTimeout, Date, random: Math.random, timeout: AbortSignal.timeout };

  beforeEach(() => {
    kernel = createKernel();
    globals = installVirtualGlobals({ kernel, startAt: START_AT, random: chanceOf(1, 'random') });
  });
  afterEach(() => globals.restore());

  it('lets timers, packages and promises of timers wait in virtual time', async () => {
    const ran: string[] = [];
    const told = (name: string) => ran.push(`${name} ${kernel.now()}`);
    setTimeout(told, 60_000, 'timeout');
    setTimeout(() => told('one'), 0);
    setImmediate(told, 'immediate');
    const repeated = setInterval(() => {
      told('interval');
      if (kernel.now() === 2_000) clearInterval(repeated);
    }, 1_000);
    interval(700)
      .pipe(take(2))
      .subscribe(() => told('rxjs'));
    void delay(1_500, 'value').then((value) => told(value));
    void nextTurn().then(() => told('turn'));
    clearTimeout(setTimeout(() => assert.fail(), 1));
    await kernel.run(100_000);
    assert.deepEqual(ran, [
      'immediate 0',
      'turn 0',
      'one 1',
      'rxjs 700',
      'interval 1000',
      'rxjs 1400',
      'value 1500',
      'interval 2000',
      'timeout 60000',
    ]);
  });

  it('lets the clock and the short timers of an owner run slower', async () => {
    globals.restore();
    const [slow, usual] = [{ name: 'slow' }, { name: 'usual' }];
    const slowness = (owner: object) => (owner === slow ? 10 : 1);
    globals = installVirtualGlobals({ kernel, startAt: START_AT, random: chanceOf(1, 'random'), slowness });
    const ran: string[] = [];
    for (const owner of [slow, usual])
      kernel.as(owner, () => {
        const startedAt = performance.now();
        setTimeout(() => {
          const ms = performance.now() - startedAt;
          ran.push(`${owner.name}: ${ms} of ${kernel.now()}, ${Date.now() - START_AT}`);
        }, 200);
        setTimeout(() => ran.push(`${owner.name} waited ${kernel.now()}`), 3_000);
      });
    await kernel.run(5_000);
    assert.deepEqual(ran, [
      'usual: 200 of 200, 200',
      'slow: 200 of 2000, 2000',
      'slow waited 3000',
      'usual waited 3000',
    ]);
  });

  it('lets the short intervals of an owner be longer, and its clock and its timeouts as they are', async () => {
    globals.restore();
    const random = chanceOf(1, 'random');
    globals = installVirtualGlobals({ kernel, startAt: START_AT, random, intervalSlowness: () => 10 });
    const startedAt = performance.now();
    const ran: string[] = [];
    const tell = (what: string) => () => ran.push(`${what} ${performance.now() - startedAt}`);
    setInterval(tell('a second'), 1_000);
    setInterval(tell('six seconds'), 6_000);
    setTimeout(tell('timeout'), 1_000);
    await kernel.run(12_000);
    assert.deepEqual(ran, ['timeout 1000', 'six seconds 6000', 'a second 10000', 'six seconds 12000']);
  });

  it('lets a timer that repeats go on at another pace, with a clock that goes on where it was', async () => {
    globals.restore();
    let slowness = 10;
    let passed = { at: 0, ms: 0 };
    const passedMs = () => passed.ms + (kernel.now() - passed.at) / slowness;
    const random = chanceOf(1, 'random');
    globals = installVirtualGlobals({
      kernel,
      startAt: START_AT,
      random,
      slowness: () => slowness,
      passedMs,
    });
    const startedAt = performance.now();
    const ran: number[][] = [];
    setInterval(() => ran.push([kernel.now(), performance.now() - startedAt]), 100);
    await kernel.run(1_000);
    passed = { at: kernel.now(), ms: passedMs() };
    slowness = 1;
    await kernel.run(1_200);
    assert.deepEqual(ran, [
      [1_000, 100],
      [2_000, 1_100],
      [2_100, 1_200],
      [2_200, 1_300],
    ]);
  });

  it('lets timers nest, and start again', async () => {
    const ran: number[] = [];
    const outer = setTimeout(() => {
      ran.push(kernel.now());
      setTimeout(() => ran.push(kernel.now()), 10);
    }, 10);
    setTimeout(() => outer.refresh(), 5);
    await kernel.run(100);
    assert.deepEqual(ran, [15, 25]);
  });

  it('shows the virtual time by calendar and clock, and steps the calendar alone', async () => {
    const clock = performance.now();
    await kernel.run(90_000);
    assert.equal(Date.now(), START_AT + 90_000);
    assert.equal(new Date().toISOString(), '2026-11-04T15:01:30.000Z');
    assert.equal(performance.now() - clock, 90_000);
    globals.stepCalendar(-3_600_000);
    assert.equal(Date.now(), START_AT + 90_000 - 3_600_000);
    assert.equal(performance.now() - clock, 90_000);
    assert.ok(new Date(5) instanceof Date && new real.Date(5) instanceof Date);
    assert.equal(new Date(5).getTime(), 5);
    assert.equal(Date.parse('1970-01-01T00:00:01Z'), 1_000);
  });

  it('aborts what takes too long in virtual time', async () => {
    const signal = AbortSignal.timeout(2_000);
    await kernel.run(1_999);
    assert.ok(!signal.aborted);
    await kernel.run(1);
    assert.equal(signal.reason.name, 'TimeoutError');
    const controller = new AbortController();
    const waiting = assert.rejects(delay(10, undefined, { signal: controller.signal }), {
      name: 'AbortError',
    });
    controller.abort();
    await waiting;
  });

  it('gives the same random numbers for the same seed', () => {
    const chance = chanceOf(1, 'random');
    assert.deepEqual([Math.random(), Math.random()], [chance(), chance()]);
  });

  it('never calls timers of the dead', async () => {
    const engine = { name: 'engine' };
    let ticks = 0;
    kernel.as(engine, () => setInterval(() => ticks++, 10));
    await kernel.run(35);
    kernel.kill(engine);
    await kernel.run(100);
    assert.equal(ticks, 3);
  });

  it('lets streams take as much in every version of Node', () => {
    assert.equal(new PassThrough().writableHighWaterMark, 16_384);
  });

  it('puts everything back', () => {
    globals.restore();
    const present = { setTimeout, Date, random: Math.random, timeout: AbortSignal.timeout };
    assert.deepEqual(present, real);
    globals = installVirtualGlobals({ kernel, startAt: START_AT, random: () => 0 });
  });
});
