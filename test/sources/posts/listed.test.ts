import assert from 'node:assert/strict';
import { listedSource } from '../../../src/sources/posts/listed.ts';
import { type Fact, MINUTE_MS, type PostFact } from '../../../streams/internal.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { faultOf } from '../../support/fact-check.ts';
import { type PostSketch, postIdAt, wireListed, wireSync } from '../../support/payloads.ts';
import { fakeLookups, knownPost, type SourceRun, sourceStage } from '../../support/source-run.ts';

const AT = Date.parse('2026-04-09T13:41:35Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SETTINGS = { ...FAST, historyDays: 20 };

describe('listedSource', () => {
  const stage = sourceStage();

  function serve(listed: readonly PostSketch[], syncedAt: number | null = AT - 40_000, error?: string) {
    stage.server.answer(({ path, query, headers }) => {
      assert.equal(headers.authorization, undefined);
      if (path === '/oracle/users/handle_a') return wireSync(syncedAt, error);
      assert.equal(path, '/oracle/users/handle_a/posts');
      const [from = 0, to = 0] = ['startDate', 'endDate'].map((name) => Date.parse(query.get(name) ?? ''));
      return {
        success: true,
        data: listed.filter(({ at }) => at >= from && at <= to).map((post) => wireListed(post)),
      };
    });
  }

  function start(lookups = fakeLookups(), now: () => number = () => AT): SourceRun {
    const endpoints = { ...localEndpoints(stage.server), postsApi: null };
    return stage.run(listedSource(ACCOUNT, endpoints, SETTINGS), lookups, now);
  }

  const daily = (days: number, perDay = 4): readonly PostSketch[] =>
    Array.from({ length: days * perDay }, (_, index) => ({ at: AT - (index + 1) * (DAY_MS / perDay) }));
  const postFacts = (facts: readonly Fact[]) =>
    facts.filter((fact): fact is PostFact => fact.kind === 'post');
  const lists = () => stage.server.requests.filter(({ path }) => path.endsWith('/posts')).length;
  const polled = (run: SourceRun, more: number) => {
    const before = run.deliveries.length;
    return eventually(`${more} more polls`, () => run.deliveries.length >= before + more);
  };

  it('reads the whole history once, without a token, and covers it', async () => {
    const all = daily(30);
    serve(all);
    const run = start();
    await eventually('it is covered', () => run.lookups.covered === AT - 20 * DAY_MS);
    await polled(run, 3);
    const facts = postFacts(run.facts());
    assert.deepEqual(
      new Set(facts.map(({ id }) => id)),
      new Set(all.filter(({ at }) => at >= AT - 20 * DAY_MS).map(({ at }) => postIdAt(at))),
    );
    assert.equal(facts.length, 20 * 4);
    assert.ok(
      facts.every(({ via, isReply, isQuote }) => via === 'archive' && isReply === null && isQuote === null),
    );
    assert.deepEqual(run.facts().map(faultOf).filter(Boolean), []);
    assert.equal(lists(), 3);
    assert.deepEqual(
      run.facts().flatMap((fact) => (fact.kind === 'history' ? [[fact.reading, fact.isDone]] : [])),
      [
        ['archive', false],
        ['archive', false],
        ['archive', true],
      ],
    );
  });

  it('knows the posts up to the oracle’s last reading, not up to the poll', async () => {
    serve(daily(5), AT - 40_000);
    const run = start();
    await polled(run, 6);
    assert.deepEqual(new Set(run.knownAts), new Set([AT - 40_000 - 13_000]));
  });

  it('does not say up to when it knows when the oracle does not, or could not read the account', async () => {
    serve(daily(5), null);
    const silent = start();
    await polled(silent, 4);
    silent.stop();
    assert.deepEqual(new Set(silent.knownAts), new Set([null]));
    assert.equal(lists(), 3);
    serve(daily(5), AT - 40_000, 'rate limited');
    const failed = start();
    await polled(failed, 4);
    assert.deepEqual(new Set(failed.knownAts), new Set([null]));
  });

  it('asks for the list again once the oracle has read the account again, and delivers what is new', async () => {
    const old = daily(5);
    serve(old);
    let now = AT;
    const run = start(fakeLookups(), () => now);
    await eventually('it is covered', () => run.lookups.covered !== undefined);
    await polled(run, 5);
    const [before, listsBefore] = [run.facts().length, lists()];
    now = AT + 5 * MINUTE_MS;
    const fresh = { at: AT + MINUTE_MS, text: 'RT @x: words' };
    serve([fresh, ...old], now - 20_000);
    await eventually('it is delivered', () => run.facts().length > before);
    await polled(run, 5);
    const news = postFacts(run.facts().slice(before));
    assert.deepEqual(
      news.map(({ id, via, isRepost, importedAt }) => [id, via, isRepost, importedAt]),
      [[postIdAt(fresh.at), 'list', true, fresh.at + 158_000]],
    );
    assert.equal(lists(), listsBefore + 1);
  });

  it('goes on where it was after a restart, and delivers nothing twice', async () => {
    const posts = daily(25);
    const made = { at: AT - HOUR_MS };
    const lookups = fakeLookups(AT - 20 * DAY_MS);
    for (const { at } of posts) {
      lookups.posts.set(postIdAt(at), knownPost(postIdAt(at), at, { via: 'oracle_list', oracleAt: at }));
    }
    serve([made, ...posts]);
    const run = start(lookups);
    await polled(run, 6);
    assert.deepEqual(
      postFacts(run.facts()).map(({ id }) => id),
      [postIdAt(made.at)],
    );
  });

  it('does not take a post that leaves the list for deleted', async () => {
    const posts = daily(5);
    serve(posts);
    const run = start();
    await eventually('it is covered', () => run.lookups.covered !== undefined);
    await polled(run, 3);
    const before = run.facts().length;
    serve(posts.slice(1), AT - 10_000);
    await polled(run, 5);
    assert.equal(run.facts().length, before);
  });

  it('delivers a post once that the log knows under another id', async () => {
    const edited = { at: AT - HOUR_MS };
    serve([edited]);
    const run = start({ ...fakeLookups(AT - 20 * DAY_MS), post: () => undefined });
    await eventually('it is delivered', () => postFacts(run.facts()).length > 0);
    serve([edited], AT - 10_000);
    await polled(run, 5);
    assert.equal(postFacts(run.facts()).length, 1);
  });

  it('fails when the oracle does, and reads what is missing when it is back', async () => {
    const posts = daily(25);
    let isDown = false;
    serve(posts);
    const source = listedSource(ACCOUNT, { ...localEndpoints(stage.server), postsApi: null }, SETTINGS);
    const lookups = fakeLookups();
    const first = stage.run(source, lookups, () => AT);
    await eventually('it is covered', () => lookups.covered === AT - 20 * DAY_MS);
    await polled(first, 3);
    isDown = true;
    stage.server.answer((_, response) => {
      response.statusCode = isDown ? 502 : 200;
      return {};
    });
    await eventually('it fails', () => first.error() !== undefined);
    const fresh = { at: AT + HOUR_MS };
    serve([fresh, ...posts], AT + 2 * HOUR_MS);
    const second = stage.run(source, lookups, () => AT + 2 * HOUR_MS + MINUTE_MS);
    await eventually('it is delivered', () => second.facts().length > 0);
    assert.deepEqual(
      second.facts().map((fact) => fact.kind === 'post' && fact.id),
      [postIdAt(fresh.at)],
    );
  });

  describe('with posts that appear late', () => {
    const late = Array.from({ length: 10 }, (_, index) => ({
      at: AT - 3.5 * DAY_MS - index * 60_000,
      serial: 7,
    }));
    const inWindow = (posts: readonly PostSketch[]) => posts.filter(({ at }) => at >= AT - 5 * DAY_MS).length;
    const openEvent = () => ({ ...activeEvent(1), startAt: AT - 5 * DAY_MS, endAt: AT + 2 * DAY_MS });

    it('finds them, however deep, soon after the oracle counts more than the log has of it', async () => {
      const all = daily(20);
      serve(all);
      let now = AT;
      const lookups = fakeLookups();
      lookups.records.set(1, openEvent());
      lookups.totals.set(1, { total: inWindow(all), known: inWindow(all) });
      const run = start(lookups, () => now);
      await eventually('it is covered', () => run.lookups.covered === AT - 20 * DAY_MS);
      await polled(run, 3);
      const before = lists();

      now += 2 * MINUTE_MS;
      serve([...all, ...late], now - 20_000);
      await polled(run, 3);
      assert.equal(lists(), before + 1, 'the newest days were read once');
      lookups.totals.set(1, { total: inWindow(all) + 10, known: inWindow(all) });
      await eventually('they are found', () => late.every(({ at }) => lookups.posts.has(postIdAt(at, 7))));
      const found = postFacts(run.facts()).filter(({ id }) => late.some(({ at }) => id === postIdAt(at, 7)));
      assert.deepEqual([found.length, new Set(found.map(({ via }) => via))], [10, new Set(['archive'])]);
    });

    it('reads the windows once for a difference that stays, and again each hour', async () => {
      serve(daily(20));
      let now = AT;
      const lookups = fakeLookups();
      lookups.records.set(1, openEvent());
      const run = start(lookups, () => now);
      await eventually('it is covered', () => run.lookups.covered === AT - 20 * DAY_MS);
      await polled(run, 3);
      const before = lists();
      lookups.totals.set(1, { total: 25, known: 20 });
      now += 2 * MINUTE_MS;
      await eventually('the windows are read', () => lists() === before + 1);
      now += 2 * MINUTE_MS;
      await polled(run, 5);
      assert.equal(lists(), before + 1);
      now += HOUR_MS;
      await eventually('they are read again', () => lists() === before + 2);
      assert.equal(
        Date.parse(
          stage.server.requests.findLast(({ path }) => path.endsWith('/posts'))?.query.get('startDate') ?? '',
        ),
        AT - 5 * DAY_MS,
      );
    });
  });

  it('refuses rows that cannot be as they say, and reads the others', async () => {
    const rows = [
      wireListed({ at: AT - 60_000 }),
      wireListed({ at: AT - 90_000 }, { createdAt: '2099-01-01T00:00:00Z' }),
      wireListed({ at: AT - 95_000 }, { platformId: '9'.repeat(20) }),
      wireListed({ at: AT - 98_000 }, { createdAt: 'today' }),
    ];
    stage.server.answer(({ path }) =>
      path.endsWith('/posts') ? { success: true, data: rows } : wireSync(AT - 40_000),
    );
    const run = start();
    await eventually('it is read', () => postFacts(run.facts()).length > 0);
    await polled(run, 2);
    assert.deepEqual(
      postFacts(run.facts()).map(({ id }) => id),
      [postIdAt(AT - 60_000)],
    );
    assert.ok(run.refusals.length >= 3);
    assert.equal(run.error(), undefined);
  });

  it('does not believe that the oracle has read the account at a time to come', async () => {
    serve(daily(20), Date.UTC(2099, 0));
    let now = AT;
    const run = start(fakeLookups(), () => now);
    await eventually('it is covered', () => run.lookups.covered === AT - 20 * DAY_MS);
    assert.deepEqual(new Set(run.knownAts), new Set([null]));
    assert.match(run.refusals.join(), /ahead of our clock/);
    const before = lists();
    now += 6 * MINUTE_MS;
    await eventually('the list is read again', () => lists() > before);
  });

  it('reads on after the clock was set back', async () => {
    serve(daily(20), AT - 40_000);
    let now = AT + 5 * DAY_MS;
    const run = start(fakeLookups(), () => now);
    await eventually('it is covered', () => run.lookups.covered !== undefined);
    await polled(run, 2);
    now = AT;
    const before = lists();
    serve(daily(20), AT - 20_000);
    await eventually('the list is read again', () => lists() > before);
  });
});
