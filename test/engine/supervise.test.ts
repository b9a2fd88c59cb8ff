import assert from 'node:assert/strict';
import { NEVER, Observable, throwError, timer } from 'rxjs';
import { map } from 'rxjs/operators';
import { TestScheduler } from 'rxjs/testing';
import { supervise } from '../../src/engine/supervise.ts';
import { SourceError } from '../../src/errors.ts';
import type { Source, SourceContext, SourceLookups, SourceStatus } from '../../src/sources/source.ts';

const NO_LOOKUPS: SourceLookups = {
  newestOnTimeline: () => undefined,
  livePosts: () => [],
  post: () => undefined,
  coveredFrom: () => undefined,
  timelineFrom: () => undefined,
  events: () => [],
  event: () => undefined,
  oracleCount: () => undefined,
};

/** Runs a source for `ms` of virtual time with a middling jitter; gives the starts and the statuses. */
function observe(
  ms: number,
  run: (context: SourceContext, attempt: number) => Observable<never>,
  silentAfterMs = 5_000,
) {
  const scheduler = new TestScheduler(assert.deepEqual);
  const startedAt: number[] = [];
  const statuses: SourceStatus[] = [];
  let delivered = 0;
  const deliveries: (() => void)[] = [];
  scheduler.run(({ flush }) => {
    const source: Source = {
      name: 'posts:a',
      silentAfterMs,
      run: (context) => {
        startedAt.push(scheduler.now());
        return run(context, startedAt.length);
      },
    };
    const clock = { wall: () => scheduler.now(), mono: () => scheduler.now() };
    const running = supervise(source, {
      clock,
      random: () => 0.5,
      lookups: NO_LOOKUPS,
      deliver: () => {
        delivered += 1;
        return new Promise((resolve) => deliveries.push(resolve));
      },
      follow: () => undefined,
      used: () => undefined,
      onStatus: (status) => statuses.push(status),
    }).subscribe();
    timer(ms).subscribe(() => running.unsubscribe());
    flush();
  });
  return { startedAt, statuses, delivered: () => delivered };
}

const failing = () => throwError(() => new SourceError('SOURCE_NETWORK', 'connection reset'));

describe('supervise', () => {
  it('restarts a failing source after growing delays', () => {
    const { startedAt } = observe(18_000, failing);
    assert.deepEqual(startedAt, [0, 500, 1_500, 3_500, 7_500, 12_500, 17_500]);
  });

  it('opens the circuit after five failures in a row and keeps trying', () => {
    const { statuses, startedAt } = observe(120_000, failing);
    assert.deepEqual(
      statuses.slice(0, 6).map(({ state, restarts }) => [state, restarts]),
      [
        ['running', 0],
        ['waiting', 1],
        ['waiting', 2],
        ['waiting', 3],
        ['waiting', 4],
        ['open', 5],
      ],
    );
    assert.ok(startedAt.length <= 28, `${startedAt.length} tries in two minutes`);
    assert.equal(statuses.at(-1)?.lastError, 'connection reset');
  });

  it('does not retry before the time that the other side asks for', () => {
    const refusing = () =>
      throwError(() => new SourceError('SOURCE_STATUS', 'status 429', { retryAfterMs: 20_000 }));
    const { startedAt } = observe(25_000, refusing);
    assert.deepEqual(startedAt, [0, 20_500]);
  });

  it('restarts a source that runs but delivers nothing', () => {
    const { startedAt, statuses } = observe(8_000, () => NEVER);
    assert.deepEqual(startedAt, [0, 6_500]);
    assert.match(statuses.at(-1)?.lastError ?? '', /no answer from posts:a/);
  });

  it('restarts a source that ends by itself', () => {
    const ending = () =>
      timer(100).pipe(
        map((): never => {
          throw new SourceError('SOURCE_ENDED', 'stream ended');
        }),
      );
    assert.deepEqual(observe(700, ending).startedAt, [0, 600]);
  });

  it('does not take waiting for our own disk for silence', () => {
    const delivering = ({ deliver }: SourceContext) =>
      new Observable<never>(() => {
        void deliver([]);
      });
    const { startedAt, delivered } = observe(60_000, delivering);
    assert.deepEqual(startedAt, [0]);
    assert.equal(delivered(), 1);
  });

  it('counts refused payloads without restarting', () => {
    const refusing = ({ refused }: SourceContext) =>
      new Observable<never>(() => {
        refused('price was 1.7, expected 0 to 1');
        refused('price was -1, expected 0 to 1');
      });
    const { statuses, startedAt } = observe(1_000, refusing);
    assert.equal(statuses.at(-1)?.refused, 2);
    assert.equal(startedAt.length, 1);
  });
});
