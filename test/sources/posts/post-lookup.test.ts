import assert from 'node:assert/strict';
import { batchesOf, lookUpMissing, lookUpPosts } from '../../../src/sources/posts/post-lookup.ts';
import type { ApiReading } from '../../../src/sources/posts/reading.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { postIdAt, wirePost } from '../../support/payloads.ts';
import { openScriptedServer, type ScriptedServer } from '../../support/scripted-server.ts';
import { collect, fakeLookups } from '../../support/source-run.ts';

const AT = Date.parse('2026-04-09T13:41:35Z');

describe('lookUpPosts', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await openScriptedServer();
  });
  afterEach(() => server.close());

  function reading(): ApiReading & { readonly refusals: readonly string[] } {
    const { context, refusals } = collect(fakeLookups(0), () => AT);
    const { signal } = new AbortController();
    return { endpoints: localEndpoints(server), settings: FAST, context, signal, refusals };
  }

  const problem = (id: string, kind: string) => ({
    resource_id: id,
    type: `https://posts.invalid/2/problems/${kind}`,
  });

  it('delivers found posts with their true flags, and missing posts', async () => {
    const reply = { in_reply_to_user_id: '9', referenced_tweets: [{ type: 'replied_to', id: '77' }] };
    server.answer(() => ({
      data: [wirePost({ at: AT, extra: reply })],
      // The answered post is gone as well, but was not asked for.
      errors: [problem('5', 'resource-not-found'), problem('77', 'resource-not-found')],
    }));
    const { found, missing } = await lookUpPosts([postIdAt(AT), '5'], ACCOUNT, reading());
    assert.deepEqual([...missing], ['5']);
    const fact = found.get(postIdAt(AT));
    assert.deepEqual(
      [found.size, fact?.via, fact?.isReply, fact?.isReplyToSelf],
      [1, 'backfill', true, false],
    );
    const [request] = server.requests;
    assert.equal(request?.path, '/2/tweets');
    assert.equal(request?.headers.authorization, 'Bearer secret');
    assert.match(request?.query.get('tweet.fields') ?? '', /edit_history_tweet_ids/);
    assert.match(request?.query.get('expansions') ?? '', /referenced_tweets\.id/);
  });

  it('gives an edit as the first post, under the id that was asked for', async () => {
    const madeAt = AT - 600_000;
    const [first, edit] = [postIdAt(madeAt), postIdAt(AT)];
    server.answer(() => ({
      data: [wirePost({ at: AT, text: 'edited', extra: { edit_history_tweet_ids: [first, edit] } })],
    }));
    const { found } = await lookUpPosts([edit], ACCOUNT, reading());
    const { id, text, createdAt } = found.get(edit) ?? {};
    assert.deepEqual({ id, text, createdAt }, { id: first, text: 'edited', createdAt: madeAt });
  });

  it('leaves out posts that may not be shown, are not answered, belong to another account or were not requested', async () => {
    server.answer(() => ({
      data: [0, 1_000, 2_000].map((ms) => ({
        ...wirePost({ at: AT + ms }),
        ...(ms === 0 && { author_id: '5' }),
      })),
      errors: [problem('1', 'not-authorized-for-resource')],
    }));
    const own = postIdAt(AT + 2_000);
    const { found, missing } = await lookUpPosts([postIdAt(AT), own, '1', '2'], ACCOUNT, reading());
    assert.deepEqual([[...found.keys()], missing.size], [[own], 0]);
  });

  it('asks for a hundred at a time, and for nothing when nothing is asked', async () => {
    server.answer(({ query }) => ({
      errors: (query.get('ids') ?? '').split(',').map((id) => problem(id, 'resource-not-found')),
    }));
    const ids = Array.from({ length: 250 }, (_, index) => String(index + 1));
    const { missing } = await lookUpPosts(ids, ACCOUNT, reading());
    assert.deepEqual([...missing], ids);
    assert.deepEqual(
      server.requests.map(({ query }) => query.get('ids')?.split(',').length),
      [100, 100, 50],
    );
    await lookUpPosts([], ACCOUNT, reading());
    assert.equal(server.requests.length, 3);
  });

  it('refuses a post that cannot be read or be as it says, and finds the others', async () => {
    const ids = [AT, AT - 1_000, AT - 2_000].map((at) => postIdAt(at));
    const [, unreadable = '', early = ''] = ids;
    server.answer(() => ({
      data: [
        wirePost({ at: AT }),
        { ...wirePost({ at: AT - 1_000 }), text: 7 },
        { ...wirePost({ at: AT - 2_000 }), created_at: '2099-01-01T00:00:00Z' },
      ],
    }));
    const asked = reading();
    const { found, missing } = await lookUpPosts(ids, ACCOUNT, asked);
    assert.deepEqual([[...found.keys()], missing.size], [[postIdAt(AT)], 0]);
    assert.equal(asked.refusals.length, 2);
    assert.ok(!found.has(unreadable) && !found.has(early));
  });

  it('needs only ids to find missing posts', async () => {
    server.answer(() => ({ data: [{ id: '1' }], errors: [problem('2', 'resource-not-found')] }));
    assert.deepEqual([...(await lookUpMissing(['1', '2'], reading()))], ['2']);
    assert.equal(server.requests[0]?.query.has('tweet.fields'), false);
  });
});

describe('batchesOf', () => {
  it('keeps the order and loses none', () => {
    const ids = Array.from({ length: 201 }, (_, index) => String(index));
    const batches = batchesOf(ids);
    assert.deepEqual(batches.flat(), ids);
    assert.deepEqual(
      batches.map(({ length }) => length),
      [100, 100, 1],
    );
    assert.deepEqual(batchesOf([]), []);
  });
});
