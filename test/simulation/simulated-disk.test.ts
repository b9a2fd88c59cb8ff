import assert from 'node:assert/strict';
import { describeStore } from '../support/describe-store.ts';
import { ticks } from '../support/store-records.ts';
import { chanceOf } from './chance.ts';
import { createKernel } from './kernel.ts';
import { settled } from './settled.ts';
import { createSimulatedDisk } from './simulated-disk.ts';

function stage(seed = 1) {
  const kernel = createKernel();
  const disk = createSimulatedDisk(kernel, chanceOf(seed, 'disk'));
  const engine = { name: 'engine 1' };
  const store = kernel.as(engine, () => disk.open());
  /** Writes as the engine, and tells what became of each write, in order. */
  const outcomes: string[] = [];
  const write = (name: string) =>
    kernel.as(engine, () => {
      store.notes.set(name, name).then(
        () => outcomes.push(`${name} kept`),
        (error) => outcomes.push(`${name} ${error.code}`),
      );
    });
  const kill = () => {
    kernel.kill(engine);
    disk.kill(engine);
  };
  const found = (...names: string[]) => names.filter((name) => disk.kept.notes.get(name) !== undefined);
  return { kernel, disk, engine, store, outcomes, write, kill, found };
}

describeStore('createSimulatedDisk', async (use) => {
  const kernel = createKernel();
  const disk = createSimulatedDisk(kernel, chanceOf(1, 'disk'));
  await settled(kernel, use(disk.open()), 60_000_000);
});

describe('createSimulatedDisk', () => {
  it('makes one commit at a time, shared by what is written meanwhile, and shows nothing of it before', async () => {
    const { kernel, disk, outcomes, write, found } = stage();
    write('a');
    write('b');
    write('c');
    assert.ok(disk.isWriting('notes') && !disk.isWriting('journal'));
    assert.deepEqual(found('a', 'b', 'c'), []);
    while (disk.figures.commits === 0) await kernel.run(0.05);
    assert.deepEqual([outcomes, found('a', 'b', 'c')], [['a kept'], ['a']]);
    await kernel.run(1_000);
    assert.deepEqual(outcomes, ['a kept', 'b kept', 'c kept']);
    assert.deepEqual([disk.figures.commits, disk.figures.writes, disk.isWriting()], [2, 3, false]);
  });

  it('keeps nothing of a commit that it refuses, and takes the next one after that', async () => {
    for (const why of ['STORE_FULL', 'STORE_WRITE'] as const) {
      const { kernel, disk, outcomes, write, found } = stage();
      disk.refuse(why);
      write('a');
      await kernel.run(1_000);
      assert.deepEqual([outcomes, found('a')], [[`a ${why}`], []]);
      disk.refuse(undefined);
      write('a');
      await kernel.run(1_000);
      assert.deepEqual(found('a'), ['a']);
      assert.equal(disk.figures.refusedWrites, 1);
    }
  });

  it('tells for how long a write has been under way', async () => {
    const { kernel, disk, store, write } = stage();
    disk.slowDown(4_000);
    write('a');
    await kernel.run(3_000);
    assert.equal(store.unfinishedWriteMs(), 3_000);
    await kernel.run(3_000);
    assert.equal(store.unfinishedWriteMs(), 0);
  });

  it('keeps a commit whole or loses it when its process is killed, and tells nobody', async () => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const { kernel, disk, outcomes, write, kill, found } = stage(seed);
      disk.slowDown(100);
      for (const name of ['first', 'a', 'b', 'c']) write(name);
      await kernel.run(150);
      write('waits');
      kill();
      await kernel.run(1_000);
      assert.deepEqual(outcomes, ['first kept']);
      ends.add(found('a', 'b', 'c', 'waits').join());
      assert.equal(disk.figures.keptAtKill + disk.figures.lostAtKill, 1);
    }
    assert.deepEqual([...ends].sort(), ['', 'a,b,c']);
  });

  it('hands the next process what is kept, and takes its writes', async () => {
    const { kernel, disk, write, kill } = stage();
    write('a');
    await kernel.run(1_000);
    kill();
    const next = { name: 'engine 2' };
    const store = kernel.as(next, () => disk.open());
    assert.equal(store.notes.get('a'), 'a');
    await settled(
      kernel,
      kernel.as(next, () => store.journal.append(ticks(1, 2))),
    );
    assert.equal(disk.kept.journal.head, 2);
  });
});
