import assert from 'node:assert/strict';
import { liveEndpoints } from '../../src/sources/live.ts';
import { createSources } from '../../src/sources/sources.ts';

describe('createSources', () => {
  const endpoints = liveEndpoints({ postsToken: 'secret' });

  it('makes five sources per account and three for all, under the names of the source ages', () => {
    const names = createSources(endpoints).map(({ name }) => name);
    assert.deepEqual([...names].sort(), [
      'archive:a',
      'archive:b',
      'crypto',
      'deletions:a',
      'deletions:b',
      'events',
      'oracle:a',
      'oracle:b',
      'posts:a',
      'posts:b',
      'prices',
      'ui:a',
      'ui:b',
    ]);
  });

  it('reads posts from the oracle’s list alone without the posts API, under the same name', () => {
    const names = createSources({ ...endpoints, postsApi: null }).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => name.endsWith(':a')),
      ['posts:a', 'oracle:a', 'ui:a'],
    );
  });

  it('lets every source be silent for longer than its period', () => {
    assert.ok(createSources(endpoints).every(({ silentAfterMs }) => silentAfterMs >= 30_000));
  });
});

describe('liveEndpoints', () => {
  it('reaches every host over an encrypted connection, at addresses without a slash at the end', () => {
    const { postsApi, oracle, market, book, bookSocket, positions, crypto, webBase } = liveEndpoints({
      postsToken: 'x',
    });
    const web = [postsApi, oracle, market, book, positions].map(({ baseUrl }) => baseUrl);
    for (const url of [...web, crypto.restUrl, webBase]) assert.match(url, /^https:.*[^/]$/);
    for (const url of [bookSocket.url, crypto.socketUrl]) assert.match(url, /^wss:.*[^/]$/);
  });
});
