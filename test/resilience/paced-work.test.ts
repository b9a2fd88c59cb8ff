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
    const { done, start } = workOf([0.5, 0.5, 0.5]);
    const work = start();
    assert.deepEqual([done.steps, work.isUnderWay()], [3, false]);
  });

  it('lets other work go first after some milliseconds, and goes on later', async () => {
    const { done, start } = workOf([1, 1, 1, 5, 5, 1]);
    const work = start();
    assert.deepEqual([done.steps, work.isUnderWay()], [2, true]);
    await eventually('all of it is done', () => !work.isUnderWay());
    assert.equal(done.steps, 6);
  });

  it('lets a busy loop have more pauses, but not for ever', async () => {
    // Each look finds the timer later than it was due, as on a thread that always has other work.
    let ms = 0;
    let looks = 0;
    function* steps(): Generator<void> {
      for (let step = 0; step < 3; step++) yield;
    }
    const work = startPacedWork(
      steps(),
      (error) => assert.fail(String(error)),
      () => {
        looks += 1;
        ms += 20;
        return ms;
      },
    );
    const atFirst = looks;
    await eventually('it is done', () => !work.isUnderWay());
    assert.ok(looks - atFirst > 3 * 20, `looked ${looks - atFirst} times`);
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
