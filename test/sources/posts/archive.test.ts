import assert from 'node:assert/strict';
import { archiveSource } from '../../../src/sources/posts/archive.ts';
import { postsSource } from '../../../src/sources/posts/posts.ts';
import { type CoverageFact, compareIds, type PostFact } from '../../../streams/internal.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type PostSketch,
  postIdAt,
  timelineAnswer,
  wireListed,
  wirePost,
  wireSync,
} from '../../support/payloads.ts';
import type { ScriptedRequest } from '../../support/scripted-server.ts';
import {
  type FakeLookups,
  fakeLookups,
  knownPost,
  type SourceRun,
  sourceStage,
} from '../../support/source-run.ts';

const AT = Date.parse('2026-04-09T13:41:35Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SETTINGS = { ...FAST, historyDays: 40 };

describe('archiveSource', () => {
  const stage = sourceStage();

  interface World {
    /** What the oracle took in. */
    readonly listed: readonly PostSketch[];
    /** What the timeline and look-ups show, newest first. */
    readonly shown?: readonly PostSketch[];
    readonly hidden?: ReadonlySet<string>;
    /** When the oracle last read the account. */
    readonly syncedAt?: number;
    readonly isApiDown?: boolean;
  }

  const archiveRequests = () => stage.server.requests.filter(({ path }) => path.endsWith('/posts'));
  const lookupRequests = () => stage.server.requests.filter(({ path }) => path === '/2/tweets');

  function serve({ listed, shown = [], hidden = new Set(), syncedAt = AT, isApiDown }: World) {
    const wire = shown.map(wirePost);
    stage.server.answer(({ path, query }, response) => {
      if (path === '/oracle/users/handle_a') return wireSync(syncedAt);
      if (path === '/oracle/users/handle_a/posts') return archived(listed, query);
      if (isApiDown) {
        response.statusCode = 503;
        return {};
      }
      if (path === '/2/tweets') {
        const ids = query.get('ids')?.split(',') ?? [];
        const data = wire.filter(({ id }) => ids.includes(id));
        const rest = ids.filter((id) => !data.some((post) => post.id === id));
        return {
          ...(data.length > 0 && { data }),
          errors: rest.map((id) => ({
            resource_id: id,
            type: `https://x.invalid/${hidden.has(id) ? 'not-authorized-for-resource' : 'resource-not-found'}`,
          })),
        };
      }
      const since = query.get('since_id') ?? '0';
      return timelineAnswer(wire.filter(({ id }) => compareIds(id, since) > 0).slice(0, 100));
    });
  }

  function archived(listed: readonly PostSketch[], query: ScriptedRequest['query']) {
    const [from = 0, to = 0] = ['startDate', 'endDate'].map((name) => Date.parse(query.get(name) ?? ''));
    return {
      success: true,
      data: listed.filter(({ at }) => at >= from && at <= to).map((post) => wireListed(post)),
    };
  }

  /** A log that covers the last `days` and knows the given posts, all of which the oracle has. */
  function lookupsWith(days: number, posts: readonly PostSketch[]): FakeLookups {
    const lookups = fakeLookups(AT - days * DAY_MS);
    lookups.timeline = lookups.covered;
    for (const { at, serial } of posts) {
      const id = postIdAt(at, serial);
      lookups.posts.set(id, knownPost(id, at, { oracleAt: at }));
    }
    return lookups;
  }

  function start(lookups: FakeLookups, settings = SETTINGS, now: () => number = () => AT): SourceRun {
    return stage.run(archiveSource(ACCOUNT, localEndpoints(stage.server), settings), lookups, now);
  }

  /** Slices are counted by requests; the last one is over when it is delivered. */
  const read = (run: SourceRun, slices: number) =>
    eventually(`${slices} slices are read`, () => run.deliveries.length >= slices);

  const covered = (run: SourceRun) =>
    run.facts().flatMap((fact) => (fact.kind === 'coverage' ? [(AT - fact.fromAt) / DAY_MS] : []));
  /** All but how far it has come. */
  const news = (run: SourceRun) => run.facts().filter(({ kind }) => kind !== 'history');
  const postFacts = (run: SourceRun) => run.facts().filter((fact): fact is PostFact => fact.kind === 'post');

  const daily = (days: number, perDay = 4): readonly PostSketch[] =>
    Array.from({ length: days * perDay }, (_, index) => ({ at: AT - (index + 1) * (DAY_MS / perDay) }));

  it('waits until the timeline is read, then reads 32 days in slices of seven, newest first', async () => {
    serve({ listed: [] });
    let looks = 0;
    const lookups: FakeLookups = Object.assign(fakeLookups(), {
      timelineFrom() {
        looks += 1;
        return lookups.timeline;
      },
    });
    const run = start(lookups);
    await eventually('it looks again', () => looks > 1);
    assert.equal(stage.server.requests.length, 0);
    lookups.covered = AT - 40 * DAY_MS;
    lookups.timeline = AT - 40 * DAY_MS;
    await read(run, 5);
    const days = archiveRequests().map(({ query }) =>
      ['startDate', 'endDate'].map((name) => (AT - Date.parse(query.get(name) ?? '')) / DAY_MS),
    );
    assert.deepEqual(days, [
      [7, 0],
      [14, 7],
      [21, 14],
      [28, 21],
      [32, 28],
    ]);
    assert.deepEqual(news(run), []);
  });

  it('reads no further back than was asked for', async () => {
    serve({ listed: daily(20) });
    const run = start(lookupsWith(3, daily(3)), { ...SETTINGS, historyDays: 3 });
    await read(run, 1);
    assert.equal(Date.parse(archiveRequests()[0]?.query.get('startDate') ?? ''), AT - 3 * DAY_MS);
    assert.deepEqual(news(run), []);
  });

  it('recovers a post that was made and deleted between two polls, and reports it as gone', async () => {
    const kept = daily(10);
    const deleted = { at: AT - 30 * HOUR_MS - 1_000, text: 'RT @x: gone' };
    serve({ listed: [...kept, deleted], shown: kept });
    const run = start(lookupsWith(40, kept));
    await read(run, 5);
    const id = postIdAt(deleted.at);
    const [post, gone, ...others] = news(run);
    assert.deepEqual(others, []);
    assert.deepEqual(post, {
      kind: 'post',
      account: 'a',
      via: 'archive',
      id,
      text: 'RT @x: gone',
      createdAt: deleted.at,
      isReply: null,
      isReplyToSelf: null,
      isQuote: null,
      isRepost: true,
      isFromCommunity: null,
      url: `https://posts.invalid/handle_a/status/${id}`,
      importedAt: deleted.at + 158_000,
    });
    assert.deepEqual(gone, { kind: 'post_gone', account: 'a', id });
  });

  it('takes a post that was missed from a look-up, with its true flags', async () => {
    const kept = daily(10);
    const missed = { at: AT - 7 * HOUR_MS, extra: { in_reply_to_user_id: '9' } };
    serve({ listed: [...kept, missed], shown: [...kept, missed] });
    const run = start(lookupsWith(40, kept));
    await read(run, 5);
    assert.deepEqual(
      news(run).map((fact) => fact.kind === 'post' && [fact.id, fact.via, fact.isReply]),
      [[postIdAt(missed.at), 'archive', true]],
    );
  });

  it('does not double a post that the oracle knows under the id of an edit', async () => {
    const kept = daily(10);
    const [firstAt, editAt] = [AT - 6 * HOUR_MS, AT - 6 * HOUR_MS + 600_000];
    const [first, edit] = [postIdAt(firstAt), postIdAt(editAt)];
    const edited = { at: editAt, text: 'edited', extra: { edit_history_tweet_ids: [first, edit] } };
    serve({ listed: [...kept, { at: editAt }], shown: [edited, ...kept] });
    const lookups = lookupsWith(40, kept);
    const source = archiveSource(ACCOUNT, localEndpoints(stage.server), SETTINGS);
    for (const turn of [1, 2]) {
      const run = stage.run(source, lookups, () => AT);
      await read(run, 5);
      run.stop();
      assert.deepEqual(
        postFacts(run).map(({ id, createdAt }) => [id, createdAt]),
        turn === 1 ? [[first, firstAt]] : [],
      );
    }
    assert.equal(lookups.posts.size, kept.length);
    assert.equal(lookupRequests().length, 1);
  });

  it('takes a post that may not be shown from the list, once, and leaves its kind open', async () => {
    const hidden = { at: AT - 5 * HOUR_MS - 1_000 };
    const world = { listed: [hidden], hidden: new Set([postIdAt(hidden.at)]), shown: daily(2) };
    serve(world);
    const run = start(lookupsWith(40, daily(2)));
    await read(run, 5);
    serve({ ...world, syncedAt: AT + 1 });
    await eventually('the list is read again', () => archiveRequests().length > 5);
    await read(run, run.deliveries.length + 2);
    assert.equal(lookupRequests().length, 1);
    assert.deepEqual(
      postFacts(run).map(({ id, isReply }) => [id, isReply]),
      [[postIdAt(hidden.at), null]],
    );
    assert.equal(news(run).length, 1);
  });

  it('tells once of each young post that the oracle has it, without a look-up', async () => {
    const [newest, other, old] = [HOUR_MS, 2 * HOUR_MS, 3 * DAY_MS].map((ms) => ({ at: AT - ms }));
    const posts = [newest, other, old].filter((post) => post !== undefined);
    serve({ listed: posts, shown: posts });
    const lookups = lookupsWith(40, posts);
    for (const [id, post] of lookups.posts) lookups.posts.set(id, { ...post, oracleAt: null });
    const run = start(lookups);
    await read(run, 8);
    const at = newest?.at ?? 0;
    assert.deepEqual(
      postFacts(run)
        .filter(({ id }) => id === postIdAt(at))
        .map(({ via, importedAt }) => [via, importedAt]),
      [['archive', at + 158_000]],
    );
    assert.deepEqual([news(run).length, lookupRequests().length], [2, 0]);
  });

  it('delivers the listed posts while the posts API fails, and asks for their kinds once it answers', async () => {
    const kept = daily(10);
    const missed = { at: AT - 7 * HOUR_MS, extra: { in_reply_to_user_id: '9' } };
    const world = { listed: [missed, ...kept], shown: [missed, ...kept] };
    serve({ ...world, isApiDown: true });
    const lookups = lookupsWith(40, kept);
    const run = start(lookups);
    await read(run, 6);
    const states = () => postFacts(run).map(({ id, isReply }) => [id, isReply]);
    assert.deepEqual([states(), run.error()], [[[postIdAt(missed.at), null]], undefined]);
    assert.equal(lookups.newestOnTimeline('a'), postIdAt(kept[0]?.at ?? 0));
    serve({ ...world, syncedAt: AT + 1 });
    await eventually('the kind is known', () => states().length === 2);
    assert.deepEqual(states()[1], [postIdAt(missed.at), true]);
  });

  it('goes on without the timeline when that is not read in time', async () => {
    serve({ listed: daily(45) });
    const lookups = fakeLookups();
    const run = start(lookups, { ...SETTINGS, listWaitMs: 20 });
    await read(run, 6);
    assert.equal(lookups.covered, AT - 40 * DAY_MS);
    assert.ok(postFacts(run).every(({ via, isReply }) => via === 'archive' && isReply === null));
  });

  describe('at the first start', () => {
    const all = daily(45);
    const deleted = { at: AT - 30 * HOUR_MS - 1_000 };

    function timelineReadBack(days: number): FakeLookups {
      const lookups = lookupsWith(days, all);
      return Object.assign(lookups, { covered: undefined, timeline: AT - days * DAY_MS });
    }

    it('covers a span only once the posts that were deleted since are known too', async () => {
      serve({ listed: [...all, deleted], shown: all });
      const run = start(timelineReadBack(40));
      await read(run, 1);
      const [first = []] = run.deliveries;
      assert.deepEqual(
        first.map(({ kind }) => kind),
        ['post', 'post_gone', 'coverage', 'history'],
      );
      await read(run, 6);
      assert.deepEqual(covered(run), [7, 14, 21, 28, 35, 40]);
    });

    it('covers what the timeline shows even where it lists nothing, and no more', async () => {
      serve({ listed: [], shown: all });
      const run = start(timelineReadBack(10));
      await read(run, 6);
      assert.deepEqual(covered(run), [7, 10]);
    });

    it('tells how far it has come, and when nothing older can be read', async () => {
      serve({ listed: all, shown: all });
      const run = start(timelineReadBack(10));
      await read(run, 6);
      assert.deepEqual(
        run
          .facts()
          .flatMap((fact) => (fact.kind === 'history' ? [[(AT - fact.fromAt) / DAY_MS, fact.isDone]] : [])),
        [
          [7, false],
          [14, false],
          [21, false],
          [28, false],
          [35, false],
          [40, true],
        ],
      );
    });

    it('reads all again after a gap, when the timeline reaches less far back', async () => {
      serve({ listed: all, shown: all });
      const lookups = timelineReadBack(40);
      const run = start(lookups);
      await read(run, 6);
      const gapAt = AT - 3 * DAY_MS;
      for (const { at } of all) if (at < gapAt && at > AT - 9 * DAY_MS) lookups.posts.delete(postIdAt(at));
      Object.assign(lookups, { covered: AT, timeline: gapAt });
      await eventually('all is read again', () => covered(run).length >= 12);
      assert.deepEqual(covered(run).slice(6), [7, 14, 21, 28, 35, 40]);
      assert.ok(all.every(({ at }) => at < AT - 40 * DAY_MS || lookups.posts.has(postIdAt(at))));
    });
  });

  describe('behind the timeline', () => {
    it('extends the coverage slice by slice, without a doubled or a missing post', async () => {
      const all = daily(45);
      const recent = all.filter(({ at }) => at >= AT - 10 * DAY_MS);
      serve({ listed: all, shown: recent });
      const lookups = lookupsWith(10, recent);
      const run = start(lookups);
      await read(run, 6);
      assert.deepEqual(covered(run), [14, 21, 28, 35, 40]);
      const ids = postFacts(run).map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(postFacts(run).every(({ via }) => via === 'archive'));
      const wanted = all.filter(({ at }) => at >= AT - 40 * DAY_MS).map(({ at }) => postIdAt(at));
      assert.deepEqual(new Set(lookups.posts.keys()), new Set(wanted));
      assert.equal(lookupRequests().length, 0);
    });

    it('never reports a span as covered before its posts are delivered', async () => {
      const all = daily(45);
      serve({ listed: all });
      const run = start(lookupsWith(0, []));
      await read(run, 6);
      let coverage: CoverageFact | undefined;
      for (const fact of run.facts()) {
        if (fact.kind === 'coverage') {
          assert.ok(coverage === undefined || fact.fromAt < coverage.fromAt);
          coverage = fact;
        }
        if (fact.kind === 'post') assert.ok(coverage === undefined || fact.createdAt < coverage.fromAt);
      }
      assert.equal(coverage?.fromAt, AT - 40 * DAY_MS);
    });

    it('does not take silence before the archive’s own beginning for knowledge', async () => {
      const all = daily(45);
      const recent = all.filter(({ at }) => at >= AT - 10 * DAY_MS);
      serve({ listed: all.filter(({ at }) => at >= AT - 18 * DAY_MS), shown: recent });
      const run = start(lookupsWith(10, recent));
      await read(run, 6);
      assert.deepEqual(covered(run), [14, 21]);
    });

    it('does not take posts that the timeline covers for knowledge of what lies behind it', async () => {
      const recent = daily(10);
      serve({ listed: recent, shown: recent });
      const run = start(lookupsWith(10, recent));
      await read(run, 6);
      assert.deepEqual(covered(run), []);
    });

    it('passes over an empty slice once an older one holds posts', async () => {
      const recent = daily(7);
      const old = { at: AT - 25 * DAY_MS };
      serve({ listed: [...recent, old], shown: recent });
      const run = start(lookupsWith(7, recent));
      await read(run, 6);
      assert.deepEqual(covered(run), [28]);
    });

    it('goes on where it was after a failure, and delivers nothing twice', async () => {
      const all = daily(45);
      serve({ listed: all });
      let fails = true;
      stage.server.answer(({ path, query }, response) => {
        if (path === '/oracle/users/handle_a') return wireSync(AT);
        if (!fails || Date.parse(query.get('startDate') ?? '') > AT - 20 * DAY_MS)
          return archived(all, query);
        response.statusCode = 500;
        return {};
      });
      const lookups = lookupsWith(0, []);
      const broken = start(lookups);
      await eventually('it fails', () => broken.error() !== undefined);
      assert.deepEqual(covered(broken), [7, 14]);
      fails = false;
      const again = start(lookups);
      await read(again, 6);
      assert.deepEqual(covered(again), [21, 28, 35, 40]);
      const ids = [...postFacts(broken), ...postFacts(again)].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    });
  });

  it('leaves live polling alone when it fails', async () => {
    const posts = daily(3);
    stage.server.answer(({ path, query }, response) => {
      if (path.startsWith('/oracle')) {
        response.statusCode = 500;
        return {};
      }
      return timelineAnswer(query.has('since_id') ? [] : posts.map(wirePost));
    });
    const lookups = fakeLookups();
    const live = stage.run(postsSource(ACCOUNT, localEndpoints(stage.server), SETTINGS), lookups, () => AT);
    const run = start(lookups);
    await eventually('the archive fails', () => run.error() !== undefined);
    const before = live.deliveries.length;
    await eventually('polls go on', () => live.deliveries.length > before + 3);
    assert.deepEqual([live.error(), lookups.timeline], [undefined, AT - 40 * DAY_MS]);
    assert.equal(lookups.covered, undefined, 'what was deleted is not known');
    assert.equal(lookups.posts.size, posts.length);
  });

  describe('after downtime', () => {
    const before = daily(5).filter(({ at }) => at < AT - DAY_MS);
    const reply = { at: AT - 3 * HOUR_MS, extra: { in_reply_to_user_id: '9' } };
    const original = { at: AT - 2 * HOUR_MS };
    const deleted = { at: AT - HOUR_MS };

    it('leaves the live poll where it was, so that it finds what the list lacks', async () => {
      serve({ listed: [deleted, original, ...before], shown: [original, reply, ...before] });
      const lookups = lookupsWith(40, before);
      const run = start(lookups);
      await read(run, 5);
      assert.deepEqual(
        news(run).map((fact) => [fact.kind, 'id' in fact && fact.id]),
        [
          ['post', postIdAt(deleted.at)],
          ['post_gone', postIdAt(deleted.at)],
          ['post', postIdAt(original.at)],
        ],
      );
      const live = stage.run(postsSource(ACCOUNT, localEndpoints(stage.server), SETTINGS), lookups, () => AT);
      await eventually('both are shown', () => postFacts(live).length === 2);
      assert.deepEqual(
        postFacts(live).map(({ createdAt }) => createdAt),
        [reply.at, original.at],
      );
    });
  });

  it('reads the last two days again when the oracle has read the account again, and not before', async () => {
    const kept = daily(5);
    const late = { at: AT - 6 * HOUR_MS - 1_000 };
    serve({ listed: kept, shown: kept });
    let now = AT;
    const run = start(lookupsWith(40, kept), SETTINGS, () => now);
    await read(run, 12);
    assert.deepEqual([news(run), archiveRequests().length], [[], 5]);
    now = AT + HOUR_MS;
    serve({ listed: [...kept, late], shown: kept, syncedAt: now - 30_000 });
    await eventually('the late one is delivered', () => news(run).length === 2);
    assert.deepEqual(
      postFacts(run).map(({ via }) => via),
      ['list'],
    );
    const { query } = archiveRequests().at(-1) ?? {};
    const [from, to] = ['startDate', 'endDate'].map((name) => Date.parse(query?.get(name) ?? ''));
    assert.deepEqual([from, to], [AT - 2 * DAY_MS, now]);
    await read(run, run.deliveries.length + 3);
    assert.deepEqual([news(run).length, archiveRequests().length], [2, 6]);
  });

  for (const [name, answer] of [
    ['a failure sent with status 200', { success: false, error: 'x' }],
    ['an id that is a number', { success: true, data: [{ platformId: 1, content: '', createdAt: AT }] }],
  ] as const) {
    it(`refuses whole a list with ${name}`, async () => {
      stage.server.answer(({ path }) => (path.endsWith('/posts') ? answer : wireSync(AT)));
      const run = start(lookupsWith(40, []));
      await eventually('it fails', () => run.error() !== undefined);
      assert.deepEqual([news(run), run.refusals.length], [[], 1]);
    });
  }
});
