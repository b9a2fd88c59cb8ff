import assert from 'node:assert/strict';
import { type AccountEndpoint, viaOf } from '../../src/sources/endpoints.ts';
import { liveEndpoints } from '../../src/sources/live.ts';
import { createSources } from '../../src/sources/sources.ts';
import { spreadOf } from '../../src/sources/spread.ts';
import { ACCOUNT, localEndpoints } from '../support/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { openScriptedServer } from '../support/scripted-server.ts';
import { runSource } from '../support/source-run.ts';

describe('createSources', () => {
  const live = liveEndpoints({ postsToken: 'secret' });
  const follow = (...accounts: readonly AccountEndpoint[]) => ({ ...live, accounts });
  const [a = ACCOUNT, b = ACCOUNT] = live.accounts;
  const endpoints = follow(a, b);

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

  it('reads the posts of one account on its timeline and those of another from the list', () => {
    const mixed = follow(a, { ...b, postsFrom: 'oracle_list' });
    const names = createSources(mixed).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => /^(posts|archive|deletions):/.test(name)),
      ['posts:a', 'archive:a', 'deletions:a', 'posts:b'],
    );
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => viaOf(id, mixed)),
      ['timeline', 'oracle_list', 'oracle_list'],
    );
  });

  it('reads posts of a platform that the posts API does not have from the list, whatever is asked for', () => {
    const account: AccountEndpoint = { ...a, platform: 'ELSEWHERE', postsFrom: 'timeline' };
    assert.equal(viaOf('a', follow(account)), 'oracle_list');
  });

  it('lets every source be silent for longer than its period', () => {
    assert.ok(createSources(endpoints).every(({ silentAfterMs }) => silentAfterMs >= 30_000));
  });

  it('lets every source be silent while it waits for its turn among many accounts', () => {
    const silence = (count: number) => {
      const accounts = Array.from({ length: count }, (_, index) => ({ ...a, id: `n${index}` }));
      const sources = createSources(follow(...accounts));
      return new Map(sources.map(({ name, silentAfterMs }) => [name, silentAfterMs]));
    };
    const [few, many] = [silence(1), silence(201)];
    const longer = (kind: string) => (many.get(`${kind}:n0`) ?? 0) - (few.get(`${kind}:n0`) ?? 0);
    // 200 more accounts ask the oracle from two sources each, 300 ms apart.
    assert.equal(longer('oracle'), 200 * 2 * 300);
    assert.equal(longer('ui'), 200 * 25);
    assert.equal(Math.round(longer('posts')), 200 * 90);
  });

  it('spreads the first requests of many accounts over a second', async () => {
    const server = await openScriptedServer();
    const startedAt = new Map<string, number>();
    server.answer(({ path }) => {
      const handle = /^\/oracle\/users\/(handle_\d+)/.exec(path)?.[1];
      if (handle !== undefined && !startedAt.has(handle)) startedAt.set(handle, performance.now());
      return { success: true, data: [] };
    });
    const accounts = Array.from({ length: 40 }, (_, index) => ({
      ...ACCOUNT,
      id: `n${index}`,
      handle: `handle_${index}`,
    }));
    const sources = createSources({ ...localEndpoints(server), postsApi: null, accounts });
    const oracles = sources.filter(({ name }) => name.startsWith('oracle:'));
    const runs = oracles.map((source) => runSource(source));
    try {
      await eventually('every account asks', () => startedAt.size === accounts.length);
    } finally {
      for (const run of runs) run.stop();
      await server.close();
    }
    const first = Math.min(...startedAt.values());
    assert.equal(startedAt.get('handle_0'), first);
    // No timer fires early, so the one with the largest share of the second is not among the first.
    const shares = accounts.map((_, place) => spreadOf(place));
    const last = shares.indexOf(Math.max(...shares));
    assert.ok((startedAt.get(`handle_${last}`) ?? 0) - first > 500);
  });
});

describe('liveEndpoints', () => {
  it('reaches every host over an encrypted connection, at addresses without a slash at the end', () => {
    const { postsApi, oracle, market, book, bookSocket, positions, crypto, webBase } = liveEndpoints({
      postsToken: 'x',
    });
    const web = [postsApi, oracle, market, book, positions].map(({ baseUrl }) => baseUrl);
    for (const url of [...web, crypto.restUrl, webBase, market.pages]) assert.match(url, /^https:.*[^/]$/);
    for (const url of [bookSocket.url, crypto.socketUrl]) assert.match(url, /^wss:.*[^/]$/);
  });
});

describe('the catalogue of live accounts', () => {
  const live = liveEndpoints({ postsToken: 'x' });
  const { accounts } = live;

  it('has each account once, with events that are those of no other', () => {
    for (const values of [
      accounts.map(({ id }) => id),
      accounts.map(({ handle }) => handle.toLowerCase()),
      accounts.flatMap(({ userId }) => userId ?? []),
      accounts.flatMap(({ seriesSlugs }) => seriesSlugs),
    ]) {
      assert.equal(new Set(values).size, values.length);
    }
    assert.ok(accounts.every(({ seriesSlugs }) => seriesSlugs.length > 0));
    const prefixes = accounts.flatMap(({ slugPrefixes }) => slugPrefixes);
    for (const prefix of prefixes) {
      assert.deepEqual(
        prefixes.filter((other) => prefix.startsWith(other)),
        [prefix],
      );
    }
  });

  it('has an id for each as accounts are numbered', () => {
    assert.deepEqual(
      accounts.map(({ id }) => id),
      Array.from('abcdefghi'),
    );
  });

  it('gives the address of each post on a platform without timelines', () => {
    const elsewhere = accounts.filter(({ id }) => viaOf(id, live) === 'oracle_list');
    assert.equal(elsewhere.length, 1);
    for (const { postPage } of elsewhere) assert.match(postPage ?? '', /^https:.*\{id\}/);
  });
});
