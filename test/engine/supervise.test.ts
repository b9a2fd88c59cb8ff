import assert from 'node:assert/strict';
import { setImmediate as immediate } from 'node:timers/promises';
import { NEVER, Observable, throwError, timer } from 'rxjs';
import { map } from 'rxjs/operators';
import { TestScheduler } from 'rxjs/testing';
import { supervise } from '../../src/engine/supervise.ts';
import { SourceError } from '../../src/errors.ts';
import { oracleSource } from '../../src/sources/oracle/oracle.ts';
import { SOURCE_SETTINGS } from '../../src/sources/settings.ts';
import type { Source, SourceContext, SourceLookups, SourceStatus } from '../../src/sources/source.ts';
import { ACCOUNT, localEndpoints } from '../support/endpoints.ts';
import { trackingAnswer, wireTracking } from '../support/payloads.ts';
import { takeIntervals } from '../support/virtual-intervals.ts';

const NO_LOOKUPS: SourceLookups = {
  newestOnTimeline: () => undefined,
  livePosts: () => [],
  post: () => undefined,
  coveredFrom: () => undefined,
  timelineFrom: () => undefined,
  events: () => [],
  event: () => undefined,
  unsettledEvents: () => [],
  hasPrice: () => false,
  hasBook: () => false,
  hasTotal: () => false,
  hasUiCount: () => false,
  realCount: () => null,
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

describe('supervise of a source whose delivery outlives its run', () => {
  /** A source that fails at once after it began to deliver, and never again. `deliver` ends the delivery. */
  async function observe(
    use: (parts: {
      readonly advance: (ms: number) => Promise<void>;
      readonly deliver: () => Promise<void>;
      readonly statuses: readonly SourceStatus[];
      readonly startedAt: readonly number[];
    }) => Promise<void>,
  ) {
    let elapsed = 0;
    let stored = () => {};
    const statuses: SourceStatus[] = [];
    const startedAt: number[] = [];
    const source: Source = {
      name: 'posts:a',
      silentAfterMs: 5_000,
      run: (context) =>
        new Observable<never>((subscriber) => {
          startedAt.push(elapsed);
          if (startedAt.length > 1) return;
          void context.deliver([]);
          subscriber.error(new SourceError('SOURCE_NETWORK', 'connection reset', { retryAfterMs: 40_000 }));
        }),
    };
    const intervals = takeIntervals();
    const running = supervise(source, {
      clock: { wall: () => elapsed, mono: () => elapsed },
      random: () => 0.5,
      lookups: NO_LOOKUPS,
      follow: () => undefined,
      deliver: () =>
        new Promise((resolve) => {
          stored = resolve;
        }),
      used: () => undefined,
      onStatus: (status) => statuses.push(status),
    }).subscribe();
    try {
      await use({
        async advance(ms) {
          for (const end = elapsed + ms; elapsed < end; ) {
            elapsed += 500;
            intervals.advance(500);
          }
          await immediate();
        },
        async deliver() {
          stored();
          await immediate();
        },
        statuses,
        startedAt,
      });
    } finally {
      running.unsubscribe();
      intervals.restore();
    }
  }

  it('does not call a source running that waits for its restart', () =>
    observe(async ({ advance, deliver, statuses }) => {
      await advance(35_000);
      await deliver();
      assert.equal(statuses.at(-1)?.state, 'waiting');
    }));

  it('does not forget its failures', () =>
    observe(async ({ advance, deliver, statuses, startedAt }) => {
      await advance(35_000);
      await deliver();
      // Started again after 40.5 s, it is silent for more than 5 s, which is its second failure: it waits twice as long.
      await advance(13_000);
      assert.equal(statuses.at(-1)?.restarts, 2);
      assert.deepEqual(startedAt, [0, 40_500, 47_500]);
    }));

  it('takes a run that delivers nothing for silent, though a delivery of the one before is not stored yet', () =>
    observe(async ({ advance, startedAt }) => {
      await advance(50_000);
      assert.deepEqual(startedAt, [0, 40_500, 47_500]);
    }));
});

describe('supervise of a source with several parts', () => {
  const NOW = Date.parse('2026-04-09T14:00:00Z');
  const DAY_MS = 86_400_000;
  const WINDOWS = ['one', 'two', 'three'];

  /** Runs the oracle for `ms` of virtual time; `isFailing` says which paths are answered with 500. */
  async function observe(ms: number, isFailing: (path: string) => boolean) {
    let elapsed = 0;
    const asked: { readonly path: string; readonly at: number }[] = [];
    const answeredAt = new Map<string, number>();
    let restarts = 0;
    const real = globalThis.fetch;
    globalThis.fetch = async (input) => {
      const { pathname: path } = new URL(String(input));
      asked.push({ path, at: elapsed });
      if (isFailing(path)) return new Response('{}', { status: 500 });
      const id = path.split('/').at(-1) ?? '';
      if (id !== 'trackings') return Response.json(trackingAnswer(id, 5, null));
      const data = WINDOWS.map((name) => wireTracking(name, NOW - DAY_MS, NOW + DAY_MS));
      return Response.json({ success: true, data });
    };
    const intervals = takeIntervals();
    const endpoints = localEndpoints({ url: 'http://oracle.invalid', socketUrl: 'ws://oracle.invalid' });
    const running = supervise(oracleSource(ACCOUNT, endpoints, SOURCE_SETTINGS), {
      clock: { wall: () => NOW + elapsed, mono: () => elapsed },
      random: () => 0.5,
      lookups: NO_LOOKUPS,
      follow: () => undefined,
      deliver: async (_, __, values = {}) => {
        for (const [value, at] of Object.entries(values)) answeredAt.set(value, at);
      },
      used: () => undefined,
      onStatus: (status) => {
        restarts = status.restarts;
      },
    }).subscribe();
    try {
      for (; elapsed < ms; elapsed += 100) {
        intervals.advance(elapsed === 0 ? 0 : 100);
        // Nothing waits for a real timer, so a step is over when nothing more is asked for.
        for (let before = -1; before < asked.length; ) {
          before = asked.length;
          for (let turn = 0; turn < 5; turn++) await immediate();
        }
      }
    } finally {
      running.unsubscribe();
      intervals.restore();
      globalThis.fetch = real;
    }
    const timesOf = (name: string) =>
      asked.filter(({ path }) => path.endsWith(`/${name}`)).map(({ at }) => at);
    return { asked, timesOf, restarts, answeredAt };
  }

  it('asks totals that fail for 80 s ever more rarely, though the list answers', async () => {
    const { asked, timesOf, restarts } = await observe(80_000, (path) => !path.endsWith('/trackings'));
    for (const window of WINDOWS) {
      const times = timesOf(window);
      assert.ok(times.length >= 2 && times.length <= 7, `${window} was asked for at ${times}`);
    }
    assert.ok(asked.length <= 80, `${asked.length} calls in 80 s`);
    assert.ok(restarts <= 20, `${restarts} restarts`);
  });

  it('asks a total that goes on failing no more than once in 30 s', async () => {
    const { timesOf } = await observe(300_000, (path) => !path.endsWith('/trackings'));
    for (const window of WINDOWS) {
      const late = timesOf(window).filter((at) => at > 80_000);
      for (const [index, at] of late.slice(1).entries())
        assert.ok(at - (late[index] ?? 0) >= 30_000, `${late}`);
    }
  });

  it('reads the other totals at their pace while one of them fails', async () => {
    const { timesOf, answeredAt } = await observe(80_000, (path) => path.endsWith('/one'));
    assert.ok(timesOf('one').length <= 7, `${timesOf('one')}`);
    for (const window of ['two', 'three']) {
      assert.ok(timesOf(window).length >= 8, `${window} was asked for at ${timesOf(window)}`);
      assert.ok(
        (answeredAt.get(window) ?? 0) > 65_000,
        `${window} was answered at ${answeredAt.get(window)}`,
      );
    }
    assert.equal(answeredAt.has('one'), false);
  });
});
