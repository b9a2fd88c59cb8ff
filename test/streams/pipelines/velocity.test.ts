import assert from 'node:assert/strict';
import fc from 'fast-check';
import { map } from 'rxjs';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { velocity } from '../../../streams/pipelines/velocity.ts';
import { type Entry, log, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { postOutput } from '../../support/outputs.ts';
import { foundLive, lettered, neverFails, ofStream, run } from './run.ts';

const NOW = 10 * DAY_MS;
const covered = { kind: 'coverage', account: 'a', fromAt: 0 } as const;
const seen = post({ createdAt: NOW - 10_000 });

const emitted = (...entries: Entry[]) =>
  ofStream(run(log([0, settings()], ...entries)), 'velocity').map(({ at, cause, record }) => [
    at,
    cause,
    record.counted1h,
    record.all1h,
  ]);

describe('velocity', () => {
  it('does not know all posts when they come from the oracle’s list', () => {
    const accounts = settings().accounts.map((account) => ({ ...account, via: 'oracle_list' as const }));
    assert.deepEqual(emitted([NOW, covered], [NOW, seen], [NOW + 1, settings({ accounts })]), [
      [NOW, 'coverage', 0, 0],
      [NOW, 'new_post', 1, 1],
      [NOW + 1, 'settings', 1, null],
    ]);
  });

  it('rises with a post and falls when the clock has passed an hour', () =>
    marbles(({ hot, expectObservable }) => {
      const output = postOutput({ createdAt: NOW }, { at: NOW });
      const times = lettered({
        c: [NOW, covered],
        t: [NOW + HOUR_MS - 1, tick()],
        u: [NOW + HOUR_MS, tick()],
      });
      const observation$ = hot('c---t-u-|', times);
      const post$ = hot('       --p-----|', { p: foundLive(output) });
      const expected = '        0-1---0-|';
      const perHour$ = velocity({ observation$, post$ }, new Map(), neverFails).pipe(
        map(({ record }) => String(record.all1h)),
      );
      expectObservable(perHour$).toBe(expected);
    }));

  it('drops a post an hour after its creation, not after its arrival', () => {
    const goneAt = seen.createdAt + HOUR_MS;
    assert.deepEqual(emitted([NOW, covered], [NOW, seen], [goneAt - 1, tick()], [goneAt, tick()]), [
      [NOW, 'coverage', 0, 0],
      [NOW, 'new_post', 1, 1],
      [goneAt, 'clock', 0, 0],
    ]);
  });

  it('counts all posts, and those that count apart', () => {
    const reply = post({ id: '2', createdAt: NOW, isReply: true });
    assert.deepEqual(emitted([NOW, covered], [NOW, seen], [NOW, reply]).at(-1), [NOW, 'new_post', 1, 2]);
  });

  it('emits nothing before the whole of the last hour is known', () => {
    assert.deepEqual(emitted([NOW, seen], [NOW + 1, tick()]), []);
    const late = { ...covered, fromAt: NOW };
    assert.deepEqual(emitted([NOW, late], [NOW + HOUR_MS - 1, tick()], [NOW + HOUR_MS, tick()]), [
      [NOW + HOUR_MS, 'clock', 0, 0],
    ]);
  });

  it('is unknown after a gap, until an hour after it is known', () => {
    const gapAt = NOW + HOUR_MS / 2;
    assert.deepEqual(
      emitted(
        [NOW, covered],
        [gapAt, { ...covered, fromAt: gapAt }],
        [gapAt + HOUR_MS - 1, tick()],
        [gapAt + HOUR_MS, tick()],
      ),
      [
        [NOW, 'coverage', 0, 0],
        [gapAt, 'coverage', null, null],
        [gapAt + HOUR_MS, 'clock', 0, 0],
      ],
    );
  });

  it('counts posts that came before the coverage', () => {
    assert.deepEqual(emitted([NOW, seen], [NOW, covered]), [[NOW, 'coverage', 1, 1]]);
  });

  it('follows a reclassified post and keeps a deleted one', () => {
    const reply = post({ ...seen, isReply: true });
    const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;
    assert.deepEqual(emitted([NOW, covered], [NOW, seen], [NOW, gone], [NOW + 1, reply]).slice(1), [
      [NOW, 'new_post', 1, 1],
      [NOW + 1, 'post_edited', 0, 1],
    ]);
  });

  it('does not count a post that is seen more than an hour late', () => {
    const late = post({ createdAt: NOW - HOUR_MS });
    assert.deepEqual(emitted([NOW, covered], [NOW, late]), [[NOW, 'coverage', 0, 0]]);
  });

  it('is right again once a clock that was a day off is right', () => {
    const late = NOW + DAY_MS - HOUR_MS;
    for (const offMs of [DAY_MS, -DAY_MS]) {
      const entries: Entry[] = [
        [NOW, covered],
        [NOW, seen],
        [NOW + offMs, tick()],
        [NOW + 1, tick()],
      ];
      assert.deepEqual(
        emitted(...entries)
          .at(-1)
          ?.slice(2),
        [1, 1],
      );
    }
    const swung: Entry[] = [
      [NOW, covered],
      [NOW, seen],
      [late + DAY_MS, tick()],
      [late - DAY_MS + HOUR_MS, tick()],
    ];
    assert.deepEqual(
      emitted(...swung)
        .at(-1)
        ?.slice(2),
      [1, 1],
    );
  });

  it('equals a count of the posts of the last hour at every tick', () => {
    const lateMs = fc.integer({ min: 0, max: 2 * HOUR_MS });
    const arrival = fc.record({ afterMs: fc.nat({ max: HOUR_MS }), lateMs, isReply: fc.boolean() });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 30, size: 'max' }), (arrivals) => {
        let at = NOW;
        const posts = arrivals.map(({ afterMs, lateMs, isReply }, index) => {
          at += afterMs;
          return [at, post({ id: String(index), createdAt: at - lateMs, isReply })] as const;
        });
        const ticked = posts.flatMap(([at, fact]) => [[at, fact] as const, [at, tick()] as const]);
        const recent = posts.filter(([, { createdAt }]) => createdAt > at - HOUR_MS);
        const counted = recent.filter(([, { isReply }]) => !isReply);
        const last = emitted([NOW, covered], ...ticked).at(-1);
        assert.deepEqual(last?.slice(2), [counted.length, recent.length]);
      }),
    );
  });
});
