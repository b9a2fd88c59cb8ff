import assert from 'node:assert/strict';
import { SourceError } from '../../../src/errors.ts';
import { createPace, type Pace } from '../../../src/sources/pace.ts';
import { type Polling, pollEvery } from '../../../src/sources/posts/poll-interval.ts';
import { postsSource } from '../../../src/sources/posts/posts.ts';
import { compareIds, type Fact, HOUR_MS, type PostFact } from '../../../streams/internal.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { type PostSketch, postIdAt, timelineAnswer, wirePost } from '../../support/payloads.ts';
import type { ScriptedRequest } from '../../support/scripted-server.ts';
import { fakeLookups, knownPost, type SourceRun, sourceStage } from '../../support/source-run.ts';
import { takeIntervals, type VirtualIntervals } from '../../support/virtual-intervals.ts';

const AT = Date.parse('2026-04-09T13:41:35Z');
const DAY_MS = 86_400_000;

describe('postsSource', () => {
  const stage = sourceStage();
  let run: SourceRun | undefined;

  function start(lookups = fakeLookups(0), settings = FAST, now: () => number = () => AT): SourceRun {
    run = stage.run(postsSource(ACCOUNT, localEndpoints(stage.server), settings), lookups, now);
    return run;
  }

  /** A timeline that honours since_id and pages of `size`. */
  function serve(posts: readonly PostSketch[], size = 100) {
    stage.server.answer(({ path, query }: ScriptedRequest) => {
      assert.equal(path, '/2/users/4000/tweets');
      const since = query.get('since_id') ?? '0';
      const all = posts.map(wirePost).filter(({ id }) => compareIds(id, since) > 0);
      const from = Number(query.get('pagination_token')?.slice(1) ?? 0);
      const isMore = all.length > from + size;
      return timelineAnswer(all.slice(from, from + size), isMore ? { next_token: `t${from + size}` } : {});
    });
  }

  const postFacts = (facts: readonly Fact[]) =>
    facts.filter((fact): fact is PostFact => fact.kind === 'post');

  async function firstFact(sketch: PostSketch, more: Record<string, unknown> = {}): Promise<PostFact> {
    stage.server.answer(() => timelineAnswer([wirePost(sketch)], more));
    const { facts } = start();
    await eventually('a post comes', () => facts().length > 0);
    const [fact] = postFacts(facts());
    assert.ok(fact);
    return fact;
  }

  describe('flags and texts', () => {
    const other = '2042230000000000000';
    const refers = (...types: string[]) => types.map((type) => ({ type, id: other }));
    const none = {
      isReply: false,
      isReplyToSelf: false,
      isQuote: false,
      isRepost: false,
      isFromCommunity: false,
    };
    const cases: readonly (readonly [string, Record<string, unknown>, Partial<typeof none>])[] = [
      ['an original', {}, {}],
      ['a quote', { referenced_tweets: refers('quoted') }, { isQuote: true }],
      ['a repost', { referenced_tweets: refers('retweeted') }, { isRepost: true }],
      [
        'a reply to somebody else',
        { referenced_tweets: refers('replied_to'), in_reply_to_user_id: '9' },
        { isReply: true },
      ],
      [
        'a quoting reply',
        { referenced_tweets: refers('replied_to', 'quoted'), in_reply_to_user_id: '9' },
        { isReply: true, isQuote: true },
      ],
      [
        'a reply to itself',
        { referenced_tweets: refers('replied_to'), in_reply_to_user_id: '4000' },
        { isReply: true, isReplyToSelf: true },
      ],
      ['a reply to a user only', { in_reply_to_user_id: '9' }, { isReply: true }],
      ['the newer field names', { referenced_posts: refers('quoted') }, { isQuote: true }],
      [
        'a repost into a community',
        { referenced_tweets: refers('retweeted'), community_id: '15' },
        { isRepost: true, isFromCommunity: true },
      ],
    ];
    for (const [name, extra, flags] of cases) {
      it(`delivers ${name}`, async () => {
        const { isReply, isReplyToSelf, isQuote, isRepost, isFromCommunity } = await firstFact({
          at: AT,
          extra,
        });
        assert.deepEqual(
          { isReply, isReplyToSelf, isQuote, isRepost, isFromCommunity },
          { ...none, ...flags },
        );
      });
    }

    it('reads from the included posts: the whole text of a repost, its community, the account a reply answers', async () => {
      const extra = { referenced_tweets: refers('retweeted') };
      const included = { id: other, text: 'whole text', author_id: '9', community_id: '15' };
      const errors = [{ resource_id: '1', type: 'https://x.invalid/problems/resource-not-found' }];
      const repost = await firstFact(
        { at: AT, text: 'RT @x: who…', extra },
        { includes: { tweets: [included] }, errors },
      );
      assert.equal(repost.text, 'whole text');
      assert.equal(repost.isFromCommunity, true);
      run?.stop();
      const reply = await firstFact(
        { at: AT, extra: { referenced_tweets: refers('replied_to') } },
        { includes: { posts: [{ id: other, text: '', author_id: '4000' }] } },
      );
      assert.deepEqual([reply.isReply, reply.isReplyToSelf], [true, true]);
    });

    it('takes the long form of a text, and puts a mark for half a character', async () => {
      const long = await firstFact({
        at: AT,
        text: 'cut',
        extra: { note_tweet: { text: 'long \ud800 form' } },
      });
      assert.equal(long.text, 'long \ufffd form');
      assert.equal(long.url, `https://posts.invalid/handle_a/status/${long.id}`);
    });
  });

  it('asks after the newest post with the token, and delivers new ones oldest first in one go', async () => {
    const lookups = fakeLookups(0);
    lookups.posts.set(postIdAt(AT), knownPost(postIdAt(AT), AT));
    serve(
      [3, 2, 1, 0].map((minutes) => ({ at: AT + minutes * 60_000 })),
      2,
    );
    const { deliveries, facts } = start(lookups);
    await eventually('the next polls are empty', () => deliveries.length > 3);
    assert.deepEqual(
      facts().map((fact) => fact.kind === 'post' && fact.createdAt),
      [1, 2, 3].map((m) => AT + m * 60_000),
    );
    assert.equal(deliveries.filter((delivery) => delivery.length > 0).length, 1);
    const [first, second] = stage.server.requests;
    assert.equal(first?.query.get('since_id'), postIdAt(AT));
    assert.equal(first?.headers.authorization, 'Bearer secret');
    assert.match(first?.query.get('tweet.fields') ?? '', /referenced_tweets/);
    // Users that nobody reads would be billed too.
    assert.equal(first?.query.get('expansions'), 'referenced_tweets.id');
    assert.equal(second?.query.get('pagination_token'), 't2');
    assert.equal(stage.server.requests.at(-1)?.query.get('since_id'), postIdAt(AT + 3 * 60_000));
  });

  it('knows the posts up to when it asked for the first page, however long the answers took', async () => {
    const SLOW_MS = 1_700;
    let passedMs = 0;
    stage.server.answer(({ query }) => {
      passedMs += SLOW_MS;
      const isSecond = query.get('pagination_token') !== null;
      return isSecond
        ? timelineAnswer([wirePost({ at: AT - 2_000 })])
        : timelineAnswer([wirePost({ at: AT - 1_000 })], { next_token: 'second' });
    });
    const lookups = fakeLookups(0);
    const known = AT - 5_000;
    lookups.posts.set(postIdAt(known), knownPost(postIdAt(known), known));
    // The calendar may be set meanwhile, and tells nothing about how long it took.
    const source = postsSource(ACCOUNT, localEndpoints(stage.server), FAST);
    const { knownAts } = stage.run(
      source,
      lookups,
      () => AT,
      () => passedMs,
    );
    await eventually('a poll is over', () => knownAts.length > 0);
    assert.equal(knownAts[0], AT - 2 * SLOW_MS);
  });

  it('delivers an edit once, as the first post with the new text and the first time', async () => {
    const madeAt = AT - 600_000;
    const [first, edit] = [postIdAt(madeAt), postIdAt(AT)];
    const history = { edit_history_tweet_ids: [first, edit] };
    serve([{ at: AT, text: 'edited', extra: history }]);
    const lookups = fakeLookups(0);
    lookups.posts.set(first, knownPost(first, madeAt));
    const { deliveries, facts } = start(lookups);
    await eventually('several polls pass', () => deliveries.length > 4);
    assert.equal(facts().length, 1);
    const [fact] = postFacts(facts());
    assert.deepEqual([fact?.id, fact?.text, fact?.createdAt], [first, 'edited', madeAt]);
  });

  it('pays once for a post and once for its edit, and nothing for polls without news', async () => {
    const [first, edit] = [postIdAt(AT), postIdAt(AT + 200_000)];
    const lookups = fakeLookups(0);
    lookups.posts.set(postIdAt(AT - 1_000), knownPost(postIdAt(AT - 1_000), AT - 1_000));
    serve([{ at: AT }]);
    const { deliveries, uses, facts } = start(lookups);
    const reads = () => uses.filter(({ reads }) => reads > 0).map(({ request, reads }) => [request, reads]);
    await eventually('polls pass', () => deliveries.length > 5);
    // The first two: a new post, and the same again among the young ones.
    assert.deepEqual(reads(), [
      ['timeline', 1],
      ['timeline', 1],
    ]);
    serve([
      { at: AT + 200_000, text: 'edited', extra: { edit_history_tweet_ids: [first, edit] } },
      { at: AT - 1_000 },
    ]);
    const before = deliveries.length;
    await eventually('more polls pass', () => deliveries.length > before + 8);
    assert.equal(reads().length, 3);
    assert.equal(facts().length, 2);
  });

  it('reads the timeline’s history when only the oracle’s list filled the log', async () => {
    const lookups = fakeLookups(AT - 30 * DAY_MS);
    lookups.posts.set(postIdAt(AT), knownPost(postIdAt(AT), AT, { via: 'oracle_list', isReply: null }));
    serve([{ at: AT }]);
    const { facts } = start(lookups, { ...FAST, historyDays: 10 });
    await eventually('it is read', () => lookups.timeline === AT - 10 * DAY_MS);
    assert.deepEqual(
      postFacts(facts()).map(({ id, via }) => [id, via]),
      [[postIdAt(AT), 'backfill']],
    );
    assert.equal(lookups.covered, AT - 30 * DAY_MS);
  });

  it('reads again only posts that are younger than two of its periods', async () => {
    const lookups = fakeLookups(0);
    for (const minutes of [0, 5, 15, 60]) {
      const at = AT - minutes * 60_000;
      lookups.posts.set(postIdAt(at), knownPost(postIdAt(at), at));
    }
    serve([]);
    const { deliveries } = start(lookups, { ...FAST, postsRecheckPeriodMs: 300_000 });
    await eventually('it was read', () => deliveries.length > 1);
    assert.deepEqual(
      stage.server.requests.slice(0, 2).map(({ query }) => query.get('since_id')),
      [postIdAt(AT), postIdAt(AT - 15 * 60_000)],
    );
  });

  it('delivers a newer post that it comes across meanwhile, which may be deleted before the next poll', async () => {
    const lookups = fakeLookups(0);
    const [old, known, newer] = [AT - 60 * 60_000, AT - 60_000, AT];
    for (const at of [old, known]) lookups.posts.set(postIdAt(at), knownPost(postIdAt(at), at));
    stage.server.answer(({ query }) =>
      timelineAnswer(
        query.get('since_id') === postIdAt(old) ? [wirePost({ at: newer }), wirePost({ at: known })] : [],
      ),
    );
    const { facts } = start(lookups, { ...FAST, postsRecheckPeriodMs: 120_000 });
    await eventually('it is delivered', () => lookups.newestOnTimeline('a') === postIdAt(newer));
    assert.deepEqual(
      postFacts(facts()).map(({ id }) => id),
      [postIdAt(newer)],
    );
  });

  it('gives a post its kind that only the oracle’s list had shown', async () => {
    const lookups = fakeLookups(0);
    const [old, listed] = [AT - DAY_MS, AT - 60_000];
    lookups.posts.set(postIdAt(old), knownPost(postIdAt(old), old));
    lookups.posts.set(
      postIdAt(listed),
      knownPost(postIdAt(listed), listed, { via: 'oracle_list', isReply: null }),
    );
    serve([{ at: listed, extra: { in_reply_to_user_id: '9' } }, { at: old }]);
    const { facts } = start(lookups);
    await eventually('it is delivered', () => facts().length > 0);
    assert.deepEqual(
      postFacts(facts()).map(({ id, via, isReply }) => [id, via, isReply]),
      [[postIdAt(listed), 'poll', true]],
    );
  });

  it('finds a post that turned up below the newest id when it reads the page again', async () => {
    const lookups = fakeLookups(0);
    for (const at of [AT, AT + 2_000]) lookups.posts.set(postIdAt(at), knownPost(postIdAt(at), at));
    serve([{ at: AT + 2_000 }, { at: AT + 1_000 }, { at: AT }]);
    const { facts } = start(lookups, { ...FAST, postsRecheckPeriodMs: 20 });
    await eventually('it is found', () => facts().length > 0);
    assert.deepEqual(
      postFacts(facts()).map(({ createdAt, via }) => [createdAt, via]),
      [[AT + 1_000, 'poll']],
    );
  });

  it('notices on a later reading that flags of a known post have changed', async () => {
    const lookups = fakeLookups(0);
    lookups.posts.set(postIdAt(AT), knownPost(postIdAt(AT), AT));
    serve([{ at: AT }]);
    const { facts } = start(lookups, { ...FAST, postsRecheckPeriodMs: 10 });
    await eventually(
      'it was read',
      () => stage.server.requests.filter(({ query }) => !query.has('since_id')).length > 1,
    );
    assert.deepEqual(facts(), []);
    serve([{ at: AT, extra: { in_reply_to_user_id: '9' } }]);
    await eventually('the change is delivered', () => facts().length > 0);
    assert.equal(postFacts(facts())[0]?.isReply, true);
  });

  for (const [name, answer] of [
    ['an id that is a number', timelineAnswer([{ ...wirePost({ at: AT }), id: 2042236486666396 }])],
    [
      'a post of somebody else',
      timelineAnswer([wirePost({ at: AT }), { ...wirePost({ at: AT + 1 }), author_id: '5' }]),
    ],
    ['no meta', { data: [wirePost({ at: AT })] }],
    ['only errors', { errors: [{ title: 'Forbidden' }] }],
    [
      'a day that does not exist',
      timelineAnswer([{ ...wirePost({ at: AT }), created_at: '2026-02-30T00:00:00Z' }]),
    ],
  ] as const) {
    it(`refuses whole an answer with ${name}, and counts it once`, async () => {
      stage.server.answer(() => answer);
      const { error, facts, refusals } = start();
      await eventually('it fails', () => error() !== undefined);
      const cause = error();
      assert.ok(cause instanceof SourceError);
      assert.equal(cause.code, 'SOURCE_REFUSED');
      assert.deepEqual(facts(), []);
      assert.equal(refusals.length, 1);
    });
  }

  describe('with posts that cannot be as they say', () => {
    const known = () => {
      const lookups = fakeLookups(0);
      const at = AT - 60_000;
      lookups.posts.set(postIdAt(at), knownPost(postIdAt(at), at));
      return lookups;
    };
    const sinceIds = () => stage.server.requests.map(({ query }) => query.get('since_id'));
    const odd = (extra: Readonly<Record<string, unknown>>) => ({ ...wirePost({ at: AT - 1_000 }), ...extra });
    const longId = { id: '9'.repeat(20), edit_history_tweet_ids: ['9'.repeat(20)] };

    for (const [name, post] of [
      ['dated 2099', odd({ created_at: '2099-01-01T00:00:00Z' })],
      ['dated 2200', odd({ created_at: '2200-01-01T00:00:00Z' })],
      ['dated before the platform existed', odd({ created_at: '1970-01-01T00:00:00Z' })],
      ['with an id of 20 digits', odd(longId)],
      ['with an id of 30 digits', odd({ ...longId, id: '9'.repeat(30) })],
      ['with the id of another day', odd({ id: postIdAt(AT - DAY_MS), edit_history_tweet_ids: null })],
      ['with an odd id among its edits', odd({ edit_history_tweet_ids: [postIdAt(AT - 1_000), longId.id] })],
      ['with a text that is a number', odd({ text: 7 })],
    ] as const) {
      it(`refuses one ${name}, and goes on from the others`, async () => {
        let posts: readonly unknown[] = [post, wirePost({ at: AT - 2_000 })];
        stage.server.answer(() => timelineAnswer(posts));
        const { facts, deliveries, refusals, error } = start(known());
        await eventually('polls go on', () => deliveries.length > 3);
        posts = [post, wirePost({ at: AT }), wirePost({ at: AT - 2_000 })];
        await eventually('the next post comes', () => postFacts(facts()).length === 2);
        assert.deepEqual(
          postFacts(facts()).map(({ id }) => id),
          [postIdAt(AT - 2_000), postIdAt(AT)],
        );
        assert.equal(error(), undefined);
        assert.equal(refusals.length, 1);
        for (const id of sinceIds()) assert.ok(compareIds(id ?? '0', postIdAt(AT)) <= 0, `${id}`);
      });
    }

    it('takes an answer of which no post can be read for a failure', async () => {
      stage.server.answer(() => timelineAnswer([odd({ text: 7 })]));
      const { error, facts } = start(known());
      await eventually('it fails', () => error() !== undefined);
      assert.deepEqual(facts(), []);
    });

    it('does not call its posts known while our clock is behind, and loses none once it is right', async () => {
      const made = [AT, AT - 1_000, AT - 2_000];
      serve(made.map((at) => ({ at })));
      let now = AT - DAY_MS;
      const lookups = fakeLookups(0);
      lookups.posts.set(postIdAt(now - 1_000), knownPost(postIdAt(now - 1_000), now - 1_000));
      const source = postsSource(ACCOUNT, localEndpoints(stage.server), FAST);
      const behind = stage.run(source, lookups, () => now);
      await eventually('it fails', () => behind.error() !== undefined);
      const cause = behind.error();
      assert.ok(cause instanceof SourceError && (cause.retryAfterMs ?? 0) >= 30_000);
      assert.deepEqual([postFacts(behind.facts()), behind.knownAts.at(-1)], [[], null]);
      assert.match(behind.refusals.join(), /ahead of our clock/);
      now = AT;
      const right = stage.run(source, lookups, () => now);
      await eventually('all are read', () => postFacts(right.facts()).length === 3);
      assert.equal(right.error(), undefined);
    });

    it('does not take the history for read while nothing of it is plausible', async () => {
      serve([{ at: AT }, { at: AT - 1_000 }]);
      const lookups = fakeLookups();
      const { error } = start(lookups, FAST, () => AT - DAY_MS);
      await eventually('it fails', () => error() !== undefined);
      assert.equal(lookups.timeline, undefined);
    });
  });

  it('fails with the wait asked for, and makes no further call', async () => {
    // By the clock of the host, which is not that of this machine.
    const sentAt = Date.UTC(2020, 1, 1);
    stage.server.answer((_, response) => {
      const date = new Date(sentAt).toUTCString();
      response.writeHead(429, { date, 'x-rate-limit-reset': String(sentAt / 1_000 + 600) });
      return { title: 'Too Many Requests' };
    });
    const { error } = start();
    await eventually('it fails', () => error() !== undefined);
    const cause = error();
    assert.ok(cause instanceof SourceError);
    assert.equal(cause.retryAfterMs, 600_000);
    assert.equal(stage.server.requests.length, 1);
  });

  describe('at the first start', () => {
    const perDay = 100;
    const postsOver = (days: number) =>
      Array.from({ length: days * perDay }, (_, index) => ({ at: AT - index * (DAY_MS / perDay) }));

    function serveReachable(posts: readonly PostSketch[]) {
      const reachable = posts.slice(0, 3_200).map(wirePost);
      stage.server.answer(({ path, query }) => {
        assert.equal(path, '/2/users/4000/tweets');
        if (query.has('since_id')) return timelineAnswer([]);
        const from = Number(query.get('pagination_token')?.slice(1) ?? 0);
        const isMore = reachable.length > from + 100;
        return timelineAnswer(
          reachable.slice(from, from + 100),
          isMore ? { next_token: `t${from + 100}` } : {},
        );
      });
    }

    async function history(historyDays: number): Promise<{ fromAt: number; posts: readonly PostFact[] }> {
      const { facts, deliveries, lookups } = start(fakeLookups(), { ...FAST, historyDays });
      const isRead = () => lookups.timeline !== undefined;
      await eventually('the live poll runs', () => isRead() && deliveries.at(-1)?.length === 0);
      const done = facts().filter((fact) => fact.kind === 'history' && fact.isDone);
      assert.equal(done.length, 1);
      assert.equal(lookups.covered, undefined, 'posts that were deleted are not known yet');
      return { fromAt: lookups.timeline ?? Number.NaN, posts: postFacts(facts()) };
    }

    it('reads all it was asked for when the timeline ends early', async () => {
      serveReachable(postsOver(3));
      const { fromAt, posts } = await history(10);
      assert.equal(fromAt, AT - 10 * DAY_MS);
      assert.equal(posts.length, 300);
      assert.ok(posts.every(({ via }) => via === 'backfill'));
    });

    it('reads no further back than it was asked for', async () => {
      serveReachable(postsOver(20));
      const { fromAt, posts } = await history(4);
      assert.equal(fromAt, AT - 4 * DAY_MS);
      assert.ok(posts.length >= 400 && posts.length < 600);
    });

    it('has read the whole history when the account never posted', async () => {
      serveReachable([]);
      assert.equal((await history(10)).fromAt, AT - 10 * DAY_MS);
    });

    it('knows the time after the oldest second it saw when the timeline is cut', async () => {
      serveReachable(postsOver(45));
      const { fromAt, posts } = await history(40);
      assert.equal(fromAt, AT - 3_199 * (DAY_MS / perDay) + 1_000);
      assert.equal(posts.length, 3_200);
    });

    it('tells after each page how far it has come, and has what was posted meanwhile before it is done', async () => {
      const all = postsOver(3);
      const late = { at: AT + 60_000 };
      const posts = all.map(wirePost);
      stage.server.answer(({ query }) => {
        if (query.get('since_id') === postIdAt(AT)) return timelineAnswer([wirePost(late)]);
        if (query.has('since_id')) return timelineAnswer([]);
        const from = Number(query.get('pagination_token')?.slice(1) ?? 0);
        const isMore = posts.length > from + 100;
        return timelineAnswer(posts.slice(from, from + 100), isMore ? { next_token: `t${from + 100}` } : {});
      });
      const { facts, lookups } = start(fakeLookups(), { ...FAST, historyDays: 10 });
      await eventually('the timeline is read', () => lookups.timeline !== undefined);
      const marks = facts().filter(
        (fact) => fact.kind === 'history' || (fact.kind === 'post' && fact.createdAt > AT),
      );
      assert.deepEqual(
        marks.map((fact) =>
          fact.kind === 'history' ? [fact.fromAt, fact.isDone] : fact.kind === 'post' && fact.via,
        ),
        [
          [all[99]?.at, false],
          [all[199]?.at, false],
          [all[299]?.at, false],
          'backfill',
          [AT - 10 * DAY_MS, true],
        ],
      );
    });

    it('starts the history over after an interruption', async () => {
      const all = postsOver(5);
      serveReachable(all);
      const lookups = fakeLookups();
      start(lookups, { ...FAST, historyDays: 10 });
      await eventually('some pages are read', () => stage.server.requests.length > 1);
      run?.stop();
      assert.equal(lookups.timeline, undefined);
      start(lookups, { ...FAST, historyDays: 10 });
      await eventually('it is read', () => lookups.timeline !== undefined);
      assert.equal(lookups.posts.size, all.length);
    });
  });

  describe('after a long absence', () => {
    const known = { at: AT - 90 * DAY_MS };
    /** More than the timeline reaches back over, newest first. */
    const missed = Array.from({ length: 3_300 }, (_, index) => ({ at: AT - index * 60_000 }));

    function lookupsBefore() {
      const lookups = fakeLookups(AT - 120 * DAY_MS);
      lookups.posts.set(postIdAt(known.at), knownPost(postIdAt(known.at), known.at));
      return lookups;
    }

    it('says that there is a gap before it delivers the posts after it', async () => {
      serve(missed);
      const { deliveries, lookups } = start(lookupsBefore());
      await eventually('the posts are delivered', () => deliveries.some((facts) => facts.length > 1));
      const [coverage, history, ...posts] = deliveries.find((facts) => facts.length > 1) ?? [];
      const fromAt = AT - 3_199 * 60_000 + 1_000;
      assert.deepEqual(coverage, { kind: 'coverage', account: 'a', fromAt: AT });
      assert.deepEqual(history, { kind: 'history', account: 'a', reading: 'timeline', fromAt, isDone: true });
      assert.equal(posts.length, 3_200);
      assert.deepEqual([lookups.covered, lookups.timeline], [AT, fromAt]);
    });

    it('says nothing of the kind when it reads back to the newest post known', async () => {
      serve(missed.slice(0, 250));
      const { deliveries, lookups } = start(lookupsBefore());
      await eventually('the next polls are empty', () => deliveries.length > 3);
      assert.deepEqual([lookups.covered, lookups.timeline], [AT - 120 * DAY_MS, undefined]);
      assert.equal(lookups.posts.size, 251);
    });

    it('leaves newer posts to the poll when it reads young posts again and does not reach back', async () => {
      const lookups = fakeLookups(0);
      const young = { at: AT - 5 };
      lookups.posts.set(postIdAt(young.at), knownPost(postIdAt(young.at), young.at));
      // The poll just before it had found nothing yet.
      stage.server.answer(({ query }) =>
        query.has('since_id')
          ? timelineAnswer([])
          : timelineAnswer([wirePost({ at: AT }), wirePost(young)], { next_token: 't100' }),
      );
      const { facts } = start(lookups, { ...FAST, postsRecheckPeriodMs: 10 });
      await eventually(
        'the page was read again',
        () => stage.server.requests.filter(({ query }) => !query.has('since_id')).length > 2,
      );
      assert.deepEqual(facts(), []);
      assert.equal(lookups.newestOnTimeline('a'), postIdAt(young.at));
    });
  });

  for (const [limit, slowed] of [
    [1_500, [600]],
    [10_000, []],
  ] as const) {
    it(`${slowed.length > 0 ? 'slows down' : 'goes on'} when the posts API says that it allows ${limit} requests`, async () => {
      const gaps: number[] = [];
      const pace = { ...createPace(), slowTo: (gapMs: number) => void gaps.push(gapMs) };
      const endpoints = localEndpoints(stage.server);
      const postsApi = {
        ...endpoints.postsApi,
        limits: { timeline: 10_000, lookup: 3_500 },
        paces: { timeline: pace, lookup: pace },
      };
      stage.server.answer((_, response) => {
        response.setHeader('x-rate-limit-limit', String(limit));
        response.setHeader('x-rate-limit-remaining', '7');
        return timelineAnswer([]);
      });
      const { uses } = stage.run(postsSource(ACCOUNT, { ...endpoints, postsApi }, FAST));
      await eventually('it is told', () => uses.length > 0);
      assert.deepEqual([...new Set(gaps)], slowed);
    });
  }

  describe('polling of its own', () => {
    const polling = {
      fastestMs: 1_000,
      usualMs: 10_000,
      slowestMs: 60_000,
      nearPosts: 2,
      nearCloseMs: HOUR_MS,
    };
    let intervals: VirtualIntervals;
    let passedMs: number;
    beforeEach(() => {
      intervals = takeIntervals();
      passedMs = 0;
    });
    afterEach(() => intervals.restore());

    /** Polls a timeline whose history was read before, on clocks that the test moves. */
    function startPolled(own: Polling, lookups = fakeLookups(0)) {
      serve([{ at: AT }]);
      lookups.timeline = 0;
      const askedAt: number[] = [];
      const pace: Pace = {
        ...createPace(),
        run(ask) {
          askedAt.push(passedMs / 1_000);
          return ask();
        },
      };
      const endpoints = localEndpoints(stage.server);
      const postsApi = { ...endpoints.postsApi, paces: { timeline: pace, lookup: pace } };
      const source = postsSource({ ...ACCOUNT, polling: own }, { ...endpoints, postsApi }, FAST);
      const { deliveries } = stage.run(
        { ...source, run: (context) => source.run({ ...context, mono: () => passedMs }) },
        lookups,
        () => AT + passedMs,
      );

      /** The seconds since the start at which it asks within the next `seconds`. */
      return async function asks(seconds: number): Promise<readonly number[]> {
        const before = askedAt.length;
        for (const until = passedMs + seconds * 1_000; passedMs < until; ) {
          passedMs += 1_000;
          intervals.advance(1_000);
          await new Promise(setImmediate);
          await eventually('it is answered', () => deliveries.length === askedAt.length);
        }
        return askedAt.slice(before);
      };
    }

    const every = (step: number, from: number, to: number) =>
      Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
    /** Open from the start on for three hours, with buckets of 20. */
    const open = { ...activeEvent(1, 10), startAt: AT, endAt: AT + 3 * HOUR_MS };

    it('asks at the interval of the account', async () => {
      const asks = startPolled(pollEvery(7_000));
      // At the first second it asks for new posts, and for the young ones again.
      assert.deepEqual(await asks(1), [1, 1]);
      assert.deepEqual(await asks(27), [7, 14, 21, 28]);
    });

    it('is slow while nothing is open, usual in a window, and fast near an edge and near the close', async () => {
      const lookups = fakeLookups(0);
      const asks = startPolled(polling, lookups);
      await asks(1);
      assert.deepEqual(await asks(120), [61, 121], 'nothing is open');
      lookups.records.set(1, open);
      lookups.counts.set(1, 30);
      assert.deepEqual(await asks(29), [131, 141], 'in a window');
      lookups.counts.set(1, 38);
      assert.deepEqual(await asks(10), every(1, 151, 160), 'two posts from an edge');
      lookups.counts.set(1, 43);
      assert.deepEqual(await asks(20), [170, 180], 'past the edge');
      lookups.records.set(1, { ...open, endAt: AT + 200_000 });
      assert.deepEqual(await asks(80), every(1, 181, 259), 'near the close, and for a minute after it');
      assert.deepEqual(await asks(119), [319, 379], 'nothing is open any more');
    });

    it('does not take slow polling for silence', () => {
      const slow = { ...polling, slowestMs: 3_600_000 };
      const { silentAfterMs } = postsSource(
        { ...ACCOUNT, polling: slow },
        localEndpoints(stage.server),
        FAST,
      );
      assert.ok(silentAfterMs > 2 * slow.slowestMs);
    });
  });
});
