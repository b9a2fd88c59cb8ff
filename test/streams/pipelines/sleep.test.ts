import assert from 'node:assert/strict';
import fc from 'fast-check';
import { map, Subject } from 'rxjs';
import {
  DAY_MS,
  type Fact,
  HOUR_MS,
  type Observation,
  type OutputOf,
  type SleepScore,
} from '../../../streams/internal.ts';
import type { PostChange } from '../../../streams/pipelines/messages.ts';
import { sleep } from '../../../streams/pipelines/sleep.ts';
import { settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { postOutput, predictionOutput } from '../../support/outputs.ts';
import { foundLive, lettered, neverFails } from './run.ts';

const MINUTE_MS = 60_000;
const NOW = 500 * DAY_MS;
const FRESH = { 'posts:a': 0 };

/** What is published and posted, by minutes from NOW, then a fresh tick each minute. */
function scored(
  happenings: readonly { readonly at: number; readonly post?: true; readonly sleep?: number }[],
  minutes: number,
  ages: (minute: number) => Readonly<Record<string, number>> = () => FRESH,
  first?: OutputOf<'predictions'>,
): SleepScore[] {
  const observation$ = new Subject<Observation>();
  const post$ = new Subject<PostChange>();
  const prediction$ = new Subject<OutputOf<'predictions'>>();
  const records: SleepScore[] = [];
  sleep({ observation$, post$, prediction$ }, new Map(), neverFails).subscribe(({ record }) =>
    records.push(record),
  );
  let seq = 0;
  const observe = (receivedAt: number, fact: Fact) => observation$.next({ seq: ++seq, receivedAt, fact });
  observe(NOW, settings());
  if (first !== undefined) prediction$.next(first);
  for (let minute = -600; minute <= minutes; minute++) {
    const at = NOW + minute * MINUTE_MS;
    for (const { at: due, post, sleep } of happenings) {
      if (due !== minute) continue;
      if (post)
        post$.next(foundLive(postOutput({ id: String(minute), createdAt: at, isCounted: false }, { at })));
      if (sleep !== undefined) {
        prediction$.next(predictionOutput({ madeAt: at, sleepProbability: sleep }, { at }));
      }
    }
    observe(at, tick(ages(minute)));
  }
  return records;
}

describe('sleep', () => {
  it('scores a probability once the silence around it is four hours long', () =>
    marbles(({ hot, expectObservable }) => {
      const facts = lettered({
        s: [NOW, settings()],
        t: [NOW + 4 * HOUR_MS, tick(FRESH)],
        u: [NOW + 4 * HOUR_MS + MINUTE_MS, tick(FRESH)],
      });
      const reply = postOutput({ createdAt: NOW, isCounted: false }, { at: NOW });
      const made = predictionOutput({ madeAt: NOW + HOUR_MS, sleepProbability: 0.75 }, { at: NOW + HOUR_MS });
      const observation$ = hot('s-----t-u-|', facts);
      const post$ = hot('       --p-------|', { p: foundLive(reply) });
      const prediction$ = hot(' ----m-----|', { m: made });
      const expected = '        --------x-|';
      const score$ = sleep({ observation$, post$, prediction$ }, new Map(), neverFails).pipe(
        map(({ record: { isAsleep, n, brier } }) => [isAsleep, n, brier]),
      );
      expectObservable(score$).toBe(expected, { x: [true, 1, 0.0625] });
    }));

  it('takes a post of any kind for a sign that the account is awake', () => {
    const [score] = scored(
      [
        { at: 0, post: true },
        { at: 30, sleep: 0.5 },
        { at: 200, post: true },
      ],
      300,
    );
    assert.deepEqual([score?.isAsleep, score?.brier], [false, 0.25]);
  });

  it('takes one probability an hour', () => {
    const happenings = [
      { at: 0, post: true as const },
      ...Array.from({ length: 130 }, (_, index) => ({ at: index + 1, sleep: index })),
      { at: 150, post: true as const },
    ];
    assert.deepEqual(
      scored(happenings, 200).map(({ madeAt, probability }) => [(madeAt - NOW) / MINUTE_MS, probability]),
      [
        [1, 0],
        [60, 59],
        [120, 119],
      ],
    );
  });

  it('goes on after the clock was wrong', () => {
    const happenings = [
      { at: 0, post: true as const },
      { at: 10, sleep: 0.25 },
      { at: 20, post: true as const },
      { at: 70, sleep: 0.75 },
    ];
    const wrong = predictionOutput({ madeAt: NOW + 400 * DAY_MS, sleepProbability: 0.5 });
    const made = scored(happenings, 600, () => FRESH, wrong);
    assert.deepEqual(
      made.map(({ probability }) => probability),
      [0.25, 0.75],
    );
  });

  it('takes the time that is not known yet for open, as when posts come from a list that is minutes late', () => {
    const happenings = [
      { at: 0, post: true as const },
      { at: 30, sleep: 0.5 },
    ];
    const late = () => ({ 'posts:a': 8_000 });
    const silentFor = (ages: () => Readonly<Record<string, number>>) =>
      [240, 241, 242].find((minute) => scored(happenings, minute, ages).length > 0);
    assert.deepEqual([silentFor(() => FRESH), silentFor(late)], [241, 242]);
  });

  it('decides nothing while posts are not fresh, as an outage looks like sleep', () => {
    const happenings = [
      { at: 0, post: true as const },
      { at: 30, sleep: 0.5 },
    ];
    assert.deepEqual(
      scored(happenings, 600, (minute) => (minute > 60 ? { 'posts:a': 20_000 } : FRESH)),
      [],
    );
    assert.equal(scored(happenings, 600).length, 1);
  });

  it('gives the running mean, beside that of the share of time asleep', () => {
    const anyMinutes = fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { minLength: 4, maxLength: 40 });
    fc.assert(
      fc.property(anyMinutes, fc.double({ min: 0, max: 1, noNaN: true }), (minutes, probability) => {
        const posts = minutes.map((at) => ({ at, post: true as const }));
        const published = Array.from({ length: 50 }, (_, hour) => ({ at: hour * 60, sleep: probability }));
        const scores = scored([{ at: -500, post: true }, ...posts, ...published], 3_600);
        const times = [-500, ...minutes].toSorted((a, b) => a - b);
        for (const { madeAt, isAsleep } of scores) {
          const minute = (madeAt - NOW) / MINUTE_MS;
          const before = times.findLast((at) => at < minute) ?? -500;
          const after = times.find((at) => at >= minute) ?? 9_999;
          assert.equal(isAsleep, after - before >= 240);
        }
        const last = scores.at(-1);
        assert.ok(last);
        const share = scores.filter(({ isAsleep }) => isAsleep).length / scores.length;
        const mean =
          scores.reduce((sum, { isAsleep }) => sum + (probability - Number(isAsleep)) ** 2, 0) /
          scores.length;
        assert.equal(last.n, scores.length);
        assert.ok(Math.abs(last.brier - mean) < 1e-9);
        assert.ok(Math.abs(last.baselineBrier - share * (1 - share)) < 1e-9);
      }),
      { numRuns: 15 },
    );
  });
});
