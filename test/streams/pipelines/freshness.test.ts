import assert from 'node:assert/strict';
import { map } from 'rxjs';
import { freshness as freshnessPipeline } from '../../../streams/pipelines/freshness.ts';
import { log, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, ofStream, run } from './run.ts';

describe('freshness', () => {
  it('emits at each tick', () =>
    marbles(({ hot, expectObservable }) => {
      const observation$ = hot(
        's-t-p-t-|',
        lettered({ s: [1, settings()], t: [2, tick({ prices: 7 })], p: [3, post()] }),
      );
      const expected = '        --7---7-|';
      const age$ = freshnessPipeline({ observation$ }).pipe(map(({ record }) => String(record.ages.prices)));
      expectObservable(age$).toBe(expected);
    }));

  it('emits the ages at each tick as they were observed, and at nothing else', () => {
    const ages = { 'posts:a': 0, prices: 86_400_000 };
    assert.deepEqual(
      ofStream(run(log([1, settings()], [2, tick(ages)], [3, post()], [4, tick()])), 'freshness'),
      [
        { stream: 'freshness', key: 'all', seq: 2, at: 2, cause: 'clock', record: { ages } },
        { stream: 'freshness', key: 'all', seq: 4, at: 4, cause: 'clock', record: { ages: {} } },
      ],
    );
  });
});
