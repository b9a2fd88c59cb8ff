import assert from 'node:assert/strict';
import fc from 'fast-check';
import { map, NEVER } from 'rxjs';
import { DAY_MS, HOUR_MS, type Lag } from '../../../streams/internal.ts';
import { lag } from '../../../streams/pipelines/lag.ts';
import { type Entry, event, log, post, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { countersOutput, eventOutput, postOutput } from '../../support/outputs.ts';
import { foundLive, neverFails, ofStream, run } from './run.ts';

const START = 20 * DAY_MS;
const NOW = START + HOUR_MS;
const SETTING: readonly Entry[] = [
  [START, settings()],
  [START, event({ startAt: START, endAt: START + 7 * DAY_MS })],
  [START, tracking({ startAt: START })],
  [START, { kind: 'coverage', account: 'a', fromAt: START }],
];
const oracle = (total: number) =>
  ({ kind: 'oracle', account: 'a', trackingId: 't1', total, syncedAt: null }) as const;
const ui = (count: number) => ({ kind: 'ui', eventId: 1, count }) as const;
/** Posts 1, 2, 3, … created a second apart from NOW on, each seen 10 s later. */
const seen = (count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => {
    const createdAt = NOW + index * 1_000;
    return [createdAt + 10_000, post({ id: String(index), createdAt })] as const;
  });

const outputs = (...entries: Entry[]) => ofStream(run(log(...SETTING, ...entries)), 'lag');
const last = (...entries: Entry[]): Lag | undefined => outputs(...entries).at(-1)?.record;
const EMPTY = { n: 0, p50: null, p90: null, p99: null };

describe('lag', () => {
  it('has a sample when a post is seen, and one when the oracle has caught up', () =>
    marbles(({ hot, expectObservable }) => {
      const event = eventOutput({ startAt: START }).record;
      const output = postOutput({ createdAt: NOW }, { at: NOW + 5 });
      const counted = (settlementDelta: number, at: number) => ({
        output: countersOutput({ settlementDelta }, { cause: 'oracle', at }),
        event,
      });
      const post$ = hot('    p-----|', { p: foundLive(output) });
      const counters$ = hot('--b-c-|', { b: counted(1, NOW + 10), c: counted(0, NOW + 20) });
      const expected = '     s---o-';
      const lags$ = lag({ observation$: NEVER, post$, counters$ }, new Map(), neverFails).pipe(
        map(({ record }) => [record.seen.p50, record.oracle.p50]),
      );
      expectObservable(lags$).toBe(expected, { s: [5, null], o: [5, 20] });
    }));

  it('measures from creation to sight', () => {
    assert.deepEqual(last([NOW + 11_500, post({ createdAt: NOW })]), {
      account: 'a',
      seen: { n: 1, p50: 11_500, p90: 11_500, p99: 11_500 },
      oracle: EMPTY,
      ui: EMPTY,
    });
  });

  it('is never negative, though the clocks of two machines may differ', () => {
    assert.equal(last([NOW - 400, post({ createdAt: NOW })])?.seen.p50, 0);
  });

  it('reads nothing off the history, an edit, a deletion or a second sight', () => {
    const read = [
      post({ createdAt: NOW, via: 'backfill' }),
      post({ createdAt: NOW, via: 'archive', id: '2' }),
    ];
    const again = post({ createdAt: NOW, text: 'edited' });
    const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;
    const facts = [...read, again, gone, again];
    assert.deepEqual(outputs(...facts.map((fact) => [NOW + 1, fact] as const)), []);
  });

  it('takes all but the newest d posts for counted when the oracle is d behind', () => {
    const at = NOW + 60_000;
    assert.deepEqual(last(...seen(3), [at, oracle(1)])?.oracle, {
      n: 1,
      p50: 60_000,
      p90: 60_000,
      p99: 60_000,
    });
    assert.deepEqual(last(...seen(3), [at, oracle(2)])?.oracle, {
      n: 2,
      p50: 59_500,
      p90: 60_000,
      p99: 60_000,
    });
    assert.equal(last(...seen(3), [at, oracle(2)], [at + 5_000, oracle(3)])?.oracle.p99, 63_000);
  });

  it('takes all for counted when the oracle is ahead, and each once', () => {
    const lag = last(...seen(3), [NOW + 60_000, oracle(9)], [NOW + 61_000, oracle(10)]);
    assert.equal(lag?.oracle.n, 3);
  });

  it('does not unlearn when the oracle goes back', () => {
    const at = NOW + 60_000;
    assert.equal(last(...seen(2), [at, oracle(2)], [at + 1, oracle(0)], [at + 2, oracle(2)])?.oracle.n, 2);
  });

  it('reads the trading page in the same way and apart', () => {
    const lag = last(...seen(2), [NOW + 30_000, ui(1)], [NOW + 60_000, oracle(2)]);
    assert.deepEqual([lag?.ui.n, lag?.ui.p50, lag?.oracle.n], [1, 30_000, 2]);
  });

  it('measures a post that was found in the oracle’s list, whose import the list itself dates', () => {
    const found = post({ createdAt: NOW, via: 'list', isReply: null, importedAt: NOW + 158_000 });
    const lag = last([NOW + 170_000, found], [NOW + 400_000, oracle(1)]);
    assert.deepEqual([lag?.seen.p50, lag?.oracle.n, lag?.oracle.p50], [170_000, 1, 158_000]);
  });

  it('measures nothing of a list that was read back at a start', () => {
    assert.deepEqual(outputs([NOW + 170_000, post({ createdAt: NOW, via: 'archive', isReply: null })]), []);
  });

  it('waits for no post that does not count', () => {
    const reply = post({ createdAt: NOW, isReply: true });
    const lag = last([NOW + 10_000, reply], [NOW + 20_000, oracle(5)]);
    assert.deepEqual([lag?.seen.n, lag?.oracle.n], [1, 0]);
  });

  it('reads nothing off a window that the post lies outside of', () => {
    const early = post({ createdAt: START - 1 });
    assert.equal(last([START + 10_000, early], [START + 20_000, oracle(5)])?.oracle.n, 0);
  });

  it('gives a post up two hours after its creation', () => {
    const counted = (at: number) => last(...seen(1), [at, tick()], [at, oracle(1)])?.oracle.n;
    assert.equal(counted(NOW + 2 * HOUR_MS), 1);
    assert.equal(counted(NOW + 2 * HOUR_MS + 1), 0);
  });

  it('measures posts at their own reading though the oracle never counted an earlier one', () => {
    const made = (id: string, at: number): Entry => [at + 10_000, post({ id, createdAt: at })];
    const later = NOW + 3 * HOUR_MS;
    const entries: Entry[] = [
      made('1', NOW),
      [NOW + 60_000, oracle(0)],
      // Of two posts one was counted; which one is not known until a silence of two hours.
      made('2', NOW + 61_000),
      [NOW + 90_000, oracle(1)],
      [later, tick()],
    ];
    for (let index = 0; index < 5; index++) {
      const at = later + index * HOUR_MS;
      entries.push(made(String(index + 3), at), [at + 100_000, oracle(index + 2)]);
    }
    assert.deepEqual(last(...entries)?.oracle, { n: 6, p50: 100_000, p90: 100_000, p99: 100_000 });
  });

  it('measures posts at their own reading though the oracle counts one that we do not', () => {
    const extra = oracle(1);
    const entries: Entry[] = [[NOW - 60_000, extra], ...seen(1)];
    assert.equal(last(...entries, [NOW + 60_000, { ...oracle(1), syncedAt: NOW }])?.oracle.n, 0);
    assert.equal(last(...entries, [NOW + 60_000, oracle(2)])?.oracle.p50, 60_000);
  });

  it('waits for no post that was deleted before it was counted', () => {
    const gone: Entry = [NOW + 50_000, { kind: 'post_gone', account: 'a', id: '0' }];
    const next: Entry = [NOW + 70_000, post({ id: '9', createdAt: NOW + 65_000 })];
    const lag = last([NOW, oracle(0)], ...seen(1), gone, next, [NOW + 165_000, oracle(1)]);
    assert.deepEqual(lag?.oracle, { n: 1, p50: 100_000, p90: 100_000, p99: 100_000 });
  });

  it('measures a deleted post that was counted after all', () => {
    const gone: Entry = [NOW + 50_000, { kind: 'post_gone', account: 'a', id: '0' }];
    const lag = last([NOW, oracle(0)], ...seen(2), gone, [NOW + 100_000, oracle(2)]);
    assert.equal(lag?.oracle.n, 1);
    assert.equal(lag?.oracle.p50, 99_000);
  });

  it('forgets a lag a day after it was measured', () => {
    const at = NOW + 10_000;
    assert.equal(outputs(...seen(1), [at + DAY_MS, tick()]).length, 1);
    const [, after] = outputs(...seen(1), [at + DAY_MS + 1, tick()]);
    assert.deepEqual([after?.cause, after?.record.seen], ['clock', EMPTY]);
  });

  it('keeps what was measured in the last day when the clock was wrong meanwhile', () => {
    const posts = [NOW, NOW + DAY_MS, NOW + 1_000].map(
      (at, index) => [at, post({ id: String(index), createdAt: at })] as const,
    );
    assert.equal(last(...posts, [NOW + DAY_MS + 1_001, tick()])?.seen.n, 1);
  });

  it('gives the percentiles of the last day by nearest rank, and the median', () => {
    const lags = fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 120, size: 'max' });
    fc.assert(
      fc.property(lags, (lags) => {
        const posts = lags.map((lagMs, index) => {
          const at = NOW + index * 1_000;
          return [at, post({ id: String(index), createdAt: at - lagMs })] as const;
        });
        const ascending = lags.toSorted((a, b) => a - b);
        const rank = (percent: number) => ascending[Math.ceil((percent * lags.length) / 100) - 1];
        assert.deepEqual(last(...posts)?.seen, {
          n: lags.length,
          p50: ((rank(50) ?? 0) + (ascending[Math.floor(lags.length / 2)] ?? 0)) / 2,
          p90: rank(90),
          p99: rank(99),
        });
      }),
      { numRuns: 50 },
    );
  });
});
