import assert from 'node:assert/strict';
import { map } from 'rxjs';
import { emptyState, lastPassing } from '../../../streams/internal.ts';
import { freshness as freshnessPipeline } from '../../../streams/pipelines/freshness.ts';
import { createRunner } from '../../../streams/runner.ts';
import { log, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { FRESH_AGES } from '../../support/outputs.ts';
import { lettered, ofStream, run } from './run.ts';

const NEVER_LISTED = { posts: null, crypto: null };

describe('freshness', () => {
  it('emits at each tick', () =>
    marbles(({ hot, expectObservable }) => {
      const observation$ = hot(
        's-t-p-t-|',
        lettered({ s: [1, settings()], t: [2, tick({ prices: 7 })], p: [3, post()] }),
      );
      const expected = '        --7---7-|';
      const age$ = freshnessPipeline({ observation$ }, new Map(), () => undefined).pipe(
        map(({ record }) => String(record.ages.prices)),
      );
      expectObservable(age$).toBe(expected);
    }));

  it('emits the ages at each tick as they were observed, and at nothing else', () => {
    const ages = { 'posts:a': 0, prices: 86_400_000 };
    const output = { stream: 'freshness', key: 'all', cause: 'clock' };
    assert.deepEqual(ofStream(run(log([2, tick(ages)], [3, post()], [4, tick()])), 'freshness'), [
      { ...output, seq: 1, at: 2, record: { ages, stale: [], listedAt: NEVER_LISTED } },
      { ...output, seq: 3, at: 4, record: { ages: {}, stale: [], listedAt: NEVER_LISTED } },
    ]);
  });

  const staleWith = (ages: Readonly<Record<string, number>>) =>
    ofStream(run(log([1, settings()], [2, tick(ages)])), 'freshness')[0]?.record.stale;

  it('names every source that never answered, of each account', () => {
    assert.deepEqual(staleWith({}), [
      'posts:a',
      'posts:b',
      'oracle:a',
      'oracle:b',
      'ui:a',
      'ui:b',
      'prices',
      'events',
      'crypto',
    ]);
    assert.deepEqual(staleWith(FRESH_AGES), []);
  });

  it('names a source once it is past its limit, spot prices and the list of events included', () => {
    for (const [source, limitMs] of [
      ['posts:a', 10_000],
      ['oracle:b', 900_000],
      ['prices', 60_000],
      ['events', 180_000],
      ['crypto', 60_000],
    ] as const) {
      assert.deepEqual(staleWith({ ...FRESH_AGES, [source]: limitMs }), [], source);
      assert.deepEqual(staleWith({ ...FRESH_AGES, [source]: limitMs + 1 }), [source]);
    }
  });

  it('takes the limits from the settings', () => {
    const given = settings();
    const limits = { ...given, staleAfterMs: { ...given.staleAfterMs, crypto: 5_000 } };
    const [output] = ofStream(
      run(log([1, limits], [2, tick({ ...FRESH_AGES, crypto: 5_001 })])),
      'freshness',
    );
    assert.deepEqual(output?.record.stale, ['crypto']);
  });

  it('takes the limits of an account from its own settings, until they are taken back', () => {
    const own = settings({
      accounts: settings().accounts.map((account) =>
        account.id === 'b' ? { ...account, staleAfterMs: { posts: 60_000, oracle: 1_000 } } : account,
      ),
    });
    const lagging = { 'oracle:b': { t1: 2_000 }, 'oracle:a': { t2: 2_000 } };
    const ages = { ...FRESH_AGES, 'posts:a': 20_000, 'posts:b': 20_000, 'oracle:a': 500, 'oracle:b': 500 };
    const late = { ...tick(ages), lagging };
    const found = ofStream(run(log([1, own], [2, late], [3, settings()], [4, late])), 'freshness');
    assert.deepEqual(
      found.map(({ record }) => [record.stale, record.staleValues]),
      [
        [['posts:a', 'oracle:b'], ['oracle:b/t1']],
        [['posts:a', 'posts:b'], undefined],
      ],
    );
  });

  it('knows when the events were last listed, posts and crypto apart', () => {
    const listed = run(
      log(
        [1, { kind: 'listing', subject: 'posts' }],
        [2, tick()],
        [3, { kind: 'listing', subject: 'crypto' }],
        [4, { kind: 'listing', subject: 'posts' }],
        [5, tick()],
      ),
    );
    assert.deepEqual(
      ofStream(listed, 'freshness').map(({ record }) => record.listedAt),
      [
        { posts: 1, crypto: null },
        { posts: 4, crypto: 3 },
      ],
    );
  });

  it('is among the outputs that a start needs from the state', () => {
    const state = emptyState();
    const { run: observe } = createRunner(state);
    const outputs = log([1, settings()], [2, tick({ prices: 7 })], [3, post()]).flatMap(observe);
    assert.deepEqual(lastPassing(state), ofStream(outputs, 'freshness'));
  });

  it('names a source one of whose values is past the limit, and the value', () => {
    const fact = { ...tick(FRESH_AGES), lagging: { 'oracle:a': { t1: 900_001, t2: 30_000 } } };
    const [output] = ofStream(run(log([1, settings()], [2, fact])), 'freshness');
    assert.deepEqual(output?.record.stale, ['oracle:a']);
    assert.deepEqual(output?.record.staleValues, ['oracle:a/t1']);
    assert.deepEqual(output?.record.lagging, fact.lagging);
  });
});
