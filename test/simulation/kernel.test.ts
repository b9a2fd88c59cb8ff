import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chanceOf } from './chance.ts';
import { createEventHeap } from './event-heap.ts';
import { createKernel, type Kernel, type Owner } from './kernel.ts';

const world: Owner = { name: 'world' };
const engine: Owner = { name: 'engine' };

describe('createEventHeap', () => {
  it('gives events by time, and by order within a time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5)), (times) => {
        const heap = createEventHeap<{ at: number; order: number }>();
        for (const [order, at] of times.entries()) heap.push({ at, order });
        const taken = [];
        for (let next = heap.takeFirst(); next !== undefined; next = heap.takeFirst()) taken.push(next);
        const expected = times
          .map((at, order) => ({ at, order }))
          .sort((a, b) => a.at - b.at || a.order - b.order);
        assert.deepEqual(taken, expected);
      }),
    );
  });
});

describe('createKernel', () => {
  it('runs events by their time, those of the same time as they were scheduled, and then the time is over', async () => {
    const kernel = createKernel();
    const ran: string[] = [];
    for (const [name, ms] of [
      ['c', 20],
      ['a', 10],
      ['b', 10],
      ['never', 51],
    ] as const)
      kernel.schedule(ms, () => ran.push(`${name} at ${kernel.now()}`));
    await kernel.run(50);
    assert.deepEqual(ran, ['a at 10', 'b at 10', 'c at 20']);
    assert.deepEqual([kernel.now(), kernel.events, kernel.waiting], [50, 3, 1]);
  });

  it('lets all microtasks and ticks of an event run before the next event', async () => {
    const kernel = createKernel();
    const ran: string[] = [];
    kernel.schedule(1, async () => {
      for (let step = 0; step < 5; step++) {
        await undefined;
        await new Promise<void>((resolve) => process.nextTick(resolve));
      }
      ran.push(`first, at ${kernel.now()}`);
    });
    kernel.schedule(1, () => ran.push('second'));
    await kernel.run(2);
    assert.deepEqual(ran, ['first, at 1', 'second']);
  });

  it('runs what an event schedules for the present before time goes on', async () => {
    const kernel = createKernel();
    const ran: string[] = [];
    kernel.schedule(1, () => {
      ran.push('outer');
      kernel.schedule(0, () => ran.push(`inner at ${kernel.now()}`));
    });
    kernel.schedule(2, () => ran.push('later'));
    await kernel.run(2);
    assert.deepEqual(ran, ['outer', 'inner at 1', 'later']);
  });

  it('gives what an event schedules, after any number of microtasks too, to the owner of the event', async () => {
    const kernel = createKernel();
    const owners: string[] = [];
    const nested = (depth: number) => async () => {
      owners.push(kernel.owner.name);
      await undefined;
      if (depth > 0) kernel.schedule(1, nested(depth - 1));
    };
    kernel.schedule(1, nested(2), engine);
    kernel.schedule(1, nested(1), world);
    await kernel.run(10);
    assert.deepEqual(owners, ['engine', 'world', 'engine', 'world', 'engine']);
  });

  it('calls as somebody else only what is called within', () => {
    const kernel = createKernel();
    const before = kernel.owner;
    assert.equal(
      kernel.as(world, () => kernel.as(engine, () => kernel.owner)),
      engine,
    );
    assert.throws(() => kernel.as(world, () => assert.fail()));
    assert.equal(kernel.owner, before);
  });

  it('never runs an event of the dead again, and all of the others', async () => {
    const kernel = createKernel();
    const ran: string[] = [];
    const repeat = (name: string) => () => {
      ran.push(`${name} ${kernel.now()}`);
      kernel.schedule(1, repeat(name));
    };
    kernel.schedule(1, repeat('engine'), engine);
    kernel.schedule(1, repeat('world'), world);
    kernel.schedule(2, () => kernel.kill(engine), world);
    await kernel.run(3);
    assert.ok(kernel.isDead(engine) && !kernel.isDead(world));
    assert.deepEqual(ran, ['engine 1', 'world 1', 'world 2', 'world 3']);
  });

  it('can stop somebody before any of their events', async () => {
    for (const fatal of [0, 1, 2, 3]) {
      const kernel = createKernel();
      let ran = 0;
      for (let at = 0; at < 4; at++) kernel.schedule(at, () => ran++, engine);
      await kernel.run(10, () => {
        if (kernel.events === fatal) kernel.kill(engine);
      });
      assert.equal(ran, fatal);
    }
  });

  it('runs what was due while somebody was frozen at the end of that, and others meanwhile', async () => {
    const kernel = createKernel();
    const ran: string[] = [];
    const told = (name: string) => () => ran.push(`${name} ${kernel.now()}`);
    for (const at of [1, 12, 5, 3]) kernel.schedule(at, told(`due ${at},`), engine);
    kernel.schedule(4, told('world'), world);
    kernel.schedule(2, () => kernel.freeze(engine, 8), world);
    await kernel.run(20);
    assert.deepEqual(ran, ['due 1, 1', 'world 4', 'due 3, 10', 'due 5, 10', 'due 12, 12']);
  });

  it('runs no event that was cancelled', async () => {
    const kernel = createKernel();
    kernel.schedule(1, () => assert.fail()).cancel();
    await kernel.run(2);
    assert.equal(kernel.events, 0);
  });

  it('rejects with what an event throws, and can go on', async () => {
    const kernel = createKernel();
    kernel.schedule(1, () => assert.fail('broken'));
    let ran = false;
    kernel.schedule(2, () => {
      ran = true;
    });
    await assert.rejects(kernel.run(5), /broken/);
    await kernel.run(5);
    assert.ok(ran);
  });

  it('gives the same order for the same seed, and another for another', async () => {
    const orderOf = async (seed: number) => {
      const kernel = createKernel();
      const chance = chanceOf(seed, 'delays');
      const ran: string[] = [];
      spread(kernel, chance, ran, 4, '');
      await kernel.run(1_000);
      return ran.join(' ');
    };
    const first = await orderOf(1);
    assert.equal(await orderOf(1), first);
    assert.notEqual(await orderOf(2), first);
    assert.equal(first.split(' ').length, 2 ** 5 - 2);
  });
});

function spread(kernel: Kernel, chance: () => number, ran: string[], depth: number, name: string): void {
  if (depth === 0) return;
  for (const side of ['l', 'r'])
    kernel.schedule(chance() * 10, () => {
      ran.push(name + side);
      spread(kernel, chance, ran, depth - 1, name + side);
    });
}

describe('chanceOf', () => {
  it('depends on the seed and the link alone', () => {
    const draw = (seed: number, link: string) => Array.from({ length: 5 }, chanceOf(seed, link));
    assert.deepEqual(draw(1, 'disk'), draw(1, 'disk'));
    assert.notDeepEqual(draw(1, 'disk'), draw(2, 'disk'));
    assert.notDeepEqual(draw(1, 'disk'), draw(1, 'wire'));
  });

  it('is spread evenly over [0, 1)', () => {
    const chance = chanceOf(7, 'even');
    const tenths = new Array<number>(10).fill(0);
    for (let n = 0; n < 10_000; n++) {
      const tenth = Math.floor(chance() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    assert.ok(
      tenths.every((count) => count > 850 && count < 1_150),
      String(tenths),
    );
  });
});
