import assert from 'node:assert/strict';
import { log, post, settings, tick } from '../../support/facts.ts';
import { ofStream, run } from './run.ts';

describe('freshness', () => {
  it('says the ages at each tick as they were told, and at nothing else', () => {
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
