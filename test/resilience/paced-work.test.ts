import assert from 'node:assert/strict';
import { type PacedWork, startPacedWork } from '../../src/resilience/paced-work.ts';
import { eventually } from '../support/eventually.ts';

/** Work whose steps take so long by its own clock, and how many of them are done. */
function workOf(stepsMs: readonly number[]) {
  const done = { steps: 0, ms: 0 };
  function* steps(): Generator<void> {
    for (const ms of stepsMs) {
      done.steps += 1;
      done.ms += ms;
      yield;
    }
  }
  const start = (): PacedWork =>
    startPacedWork(
      steps(),
      (error) => assert.fail(String(error)),
      () => done.ms,
    );
  return { done, start };
}

describe('paced work', () => {
  it('does little work at once', () => {
    const { done, start } = workOf([0.25, 0.25, 0.25]);
    const work = start();
    assert.deepEqual([done.steps, work.isUnderWay()], [3, false]);
  });

  it('lets other work go first after a millisecond, and goes on later', async () => {
    const { done, start } = workOf([0.5, 0.5, 1, 5, 5, 1]);
    const work = start();
    assert.deepEqual([done.steps, work.isUnderWay()], [2, true]);
    await eventually('all of it is done', () => !work.isUnderWay());
    assert.equal(done.steps, 6);
  });

  it('makes way for a busy loop, but not for ever', async () => {
    // Each time the clock is read more time has passed than a pause takes, as on a thread that always has other work.
    let ms = 0;
    let steps = 0;
    const doneAt: number[] = [];
    function* work(): Generator<void> {
      for (; steps < 3; steps++) {
        doneAt.push(ms);
        yield;
      }
    }
    const paced = startPacedWork(
      work(),
      (error) => assert.fail(String(error)),
      () => {
        ms += 1_000;
        return ms;
      },
    );
    await eventually('it is done', () => !paced.isUnderWay());
    const [first = 0, second = 0, third = 0] = doneAt;
    assert.ok(second - first > 20_000, `made way for ${second - first} ms`);
    assert.ok(third - second < 5_000, `and later for ${third - second} ms`);
  });

  it('reports an error, which ends it', () => {
    const errors: unknown[] = [];
    const steps = {
      next(): IteratorResult<void> {
        throw new Error('no');
      },
    };
    const work = startPacedWork(steps, (error) => errors.push(error));
    assert.deepEqual([errors, work.isUnderWay()], [[new Error('no')], false]);
  });

  it('does nothing more once it is stopped', async () => {
    const { done, start } = workOf([5, 5]);
    const work = start();
    work.stop();
    const other = workOf([5, 5]).start();
    await eventually('work that began later is done', () => !other.isUnderWay());
    assert.deepEqual([done.steps, work.isUnderWay()], [1, false]);
  });
});
