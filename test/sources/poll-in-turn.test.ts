import assert from 'node:assert/strict';
import { pollInTurn } from '../../src/sources/poll-in-turn.ts';
import { eventually } from '../support/eventually.ts';

describe('pollInTurn', () => {
  it('runs jobs in their order, one at a time, and skips turns of one that is slow', async () => {
    const log: string[] = [];
    let running = 0;
    let release = () => {};
    const job = (name: string, isSlow: boolean) => ({
      periodMs: 2,
      read: async () => {
        assert.equal(running++, 0);
        log.push(name);
        if (isSlow) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        running--;
      },
    });
    const subscription = pollInTurn(job('a', false), job('b', true), job('c', false)).subscribe({
      error: assert.fail,
    });
    await eventually('the slow one runs', () => log.length === 2);
    const since = performance.now();
    await eventually('many periods pass', () => performance.now() - since > 20);
    assert.deepEqual(log, ['a', 'b']);
    release();
    await eventually('the others follow', () => log.length >= 4);
    subscription.unsubscribe();
    assert.deepEqual(log.slice(0, 4).sort(), ['a', 'a', 'b', 'c']);
  });

  it('aborts the job that runs when it is unsubscribed, and reports nothing after', async () => {
    let signal: AbortSignal | undefined;
    const subscription = pollInTurn({
      periodMs: 1,
      read: (given) => {
        signal = given;
        return new Promise((_, reject) =>
          given.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      },
    }).subscribe({ error: assert.fail });
    await eventually('it runs', () => signal !== undefined);
    subscription.unsubscribe();
    assert.equal(signal?.aborted, true);
  });
});
