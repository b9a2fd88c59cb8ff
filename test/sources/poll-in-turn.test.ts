import assert from 'node:assert/strict';
import { SourceError } from '../../src/errors.ts';
import { pollDespiteRefusals, pollInTurn } from '../../src/sources/poll-in-turn.ts';
import { eventually } from '../support/eventually.ts';
import { takeIntervals } from '../support/virtual-intervals.ts';

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
    const subscription = pollInTurn([job('a', false), job('b', true), job('c', false)]).subscribe({
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

  it('runs a job again as soon as it asks for that, once', async () => {
    const intervals = takeIntervals();
    const at: number[] = [];
    const waits: (number | undefined)[] = [7_000, undefined];
    let now = 0;
    try {
      const subscription = pollInTurn([
        { periodMs: 60_000, read: async () => void at.push(now), againInMs: () => waits.shift() },
      ]).subscribe({ error: assert.fail });
      for (; now <= 130_000; now += 1_000) {
        intervals.advance(now === 0 ? 0 : 1_000);
        await new Promise(setImmediate);
      }
      subscription.unsubscribe();
    } finally {
      intervals.restore();
    }
    assert.deepEqual(at, [0, 7_000, 60_000, 120_000]);
  });

  it('aborts the job that runs when it is unsubscribed, and reports nothing after', async () => {
    let signal: AbortSignal | undefined;
    const subscription = pollInTurn([
      {
        periodMs: 1,
        read: (given) => {
          signal = given;
          return new Promise((_, reject) =>
            given.addEventListener('abort', () => reject(new Error('aborted'))),
          );
        },
      },
    ]).subscribe({ error: assert.fail });
    await eventually('it runs', () => signal !== undefined);
    subscription.unsubscribe();
    assert.equal(signal?.aborted, true);
  });

  it('shortens the first period by its spread, and keeps the others', async () => {
    const intervals = takeIntervals();
    const at: number[] = [];
    let now = 0;
    try {
      const read = async () => void at.push(now);
      const subscription = pollInTurn([{ periodMs: 11_000, read }], 0.4).subscribe({ error: assert.fail });
      for (now = 0; now <= 30_000; now += 500) {
        intervals.advance(now === 0 ? 0 : 500);
        await new Promise(setImmediate);
      }
      subscription.unsubscribe();
    } finally {
      intervals.restore();
    }
    assert.deepEqual(at, [0, 4_000, 15_000, 26_000]);
  });
});

describe('pollDespiteRefusals', () => {
  /** Runs jobs of which the first and the third fail; resolves to the jobs that ran and the error. */
  async function failTwice(poll: typeof pollInTurn, failure: Error) {
    const log: string[] = [];
    const job = (name: string, error?: Error) => ({
      periodMs: 1,
      read: async () => {
        log.push(name);
        if (error !== undefined) throw error;
      },
    });
    let error: unknown;
    poll([job('a', failure), job('b'), job('c', failure), job('d')]).subscribe({
      error: (reason: unknown) => {
        error = reason;
      },
    });
    await eventually('it fails', () => error !== undefined);
    return { log, error };
  }

  for (const code of ['SOURCE_REFUSED', 'SOURCE_NOT_JSON', 'SOURCE_TOO_LARGE']) {
    it(`gives the jobs that wait their turn before it fails with ${code}`, async () => {
      const error = new SourceError(code, 'not as promised');
      assert.deepEqual(await failTwice(pollDespiteRefusals, error), { log: ['a', 'b', 'c', 'd'], error });
      assert.deepEqual(await failTwice(pollInTurn, error), { log: ['a'], error });
    });
  }

  for (const error of [new SourceError('SOURCE_STATUS', '429', { status: 429 }), new Error('a bug')]) {
    it(`fails at once with ${error.message}`, async () => {
      assert.deepEqual(await failTwice(pollDespiteRefusals, error), { log: ['a'], error });
    });
  }
});
