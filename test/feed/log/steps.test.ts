import assert from 'node:assert/strict';
import { createSteps, REST } from '../../../src/feed/log/steps.ts';

describe('createSteps', () => {
  it('does work that does not pause at once, then what waits', () => {
    const done: string[] = [];
    const waiting = ['b', 'c'];
    function* work(name: string): Generator<void> {
      done.push(name);
      yield* [];
    }
    const next = () => {
      const name = waiting.shift();
      return name === undefined ? undefined : work(name);
    };
    const steps = createSteps(next, assert.ifError);
    steps.begin(work('a'));
    assert.deepEqual(done, ['a', 'b', 'c']);
    steps.begin();
    assert.deepEqual(done, ['a', 'b', 'c']);
  });

  it('pauses for others, and begins nothing meanwhile', async () => {
    const done: string[] = [];
    let isWaiting = false;
    function* work(name: string): Generator<void> {
      done.push(`${name} begins`);
      yield;
      done.push(`${name} ends`);
    }
    const next = () => {
      if (!isWaiting) return undefined;
      isWaiting = false;
      return work('what waits');
    };
    const steps = createSteps(next, assert.ifError);
    steps.begin(work('first'));
    setImmediate(() => done.push('another'));
    isWaiting = true;
    steps.begin();
    assert.deepEqual(done, ['first begins']);
    await steps.settled();
    assert.deepEqual(done, ['first begins', 'another', 'first ends', 'what waits begins', 'what waits ends']);
    await steps.settled();
  });

  it('rests where nobody waits for it, and is woken by what comes', async () => {
    const done: string[] = [];
    let isWaiting = false;
    function* work(): Generator<unknown> {
      for (const step of ['first', 'second', 'third']) {
        done.push(isWaiting ? `${step} with what waits` : step);
        isWaiting = false;
        yield REST;
      }
    }
    const steps = createSteps(() => undefined, assert.ifError);
    steps.begin(work());
    assert.deepEqual(done, ['first']);
    isWaiting = true;
    steps.begin();
    assert.deepEqual(done, ['first', 'second with what waits']);
    await steps.settled();
    assert.deepEqual(done, ['first', 'second with what waits', 'third']);
  });

  it('reports work that fails, and goes on with what waits', () => {
    const reported: unknown[] = [];
    let isDone = false;
    function* failing(): Generator<void> {
      yield* [];
      throw new Error('no');
    }
    function* other(): Generator<void> {
      isDone = true;
      yield* [];
    }
    const steps = createSteps(
      () => (isDone ? undefined : other()),
      (error) => reported.push(error),
    );
    steps.begin(failing());
    assert.equal(reported.length, 1);
    assert.equal(isDone, true);
  });
});
