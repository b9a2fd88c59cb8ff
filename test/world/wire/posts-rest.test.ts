import assert from 'node:assert/strict';
import { createdAtOf } from '../../../src/world/life/snowflake.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createPostsRest, POSTS_TOKEN } from '../../../src/world/wire/posts-rest.ts';
import { compareIds, DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { at, list, openTestWorld, START_AT, type TestWorld, testBase } from '../open.ts';

const FIELDS =
  'tweet.fields=created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,note_tweet,community_id';

describe('posts API', () => {
  let test: TestWorld;
  let timeline: string;
  before(async () => {
    test = await openTestWorld();
    timeline = `/2/users/${test.world.addresses.accounts[0]?.userId}/tweets`;
  });
  after(() => test.world.close());
  beforeEach(() => {
    test.clock.at = START_AT + 10 * MINUTE_MS;
  });

  const ids = (json: unknown): readonly string[] => list(json, 'data').map((post) => String(post.id));

  async function pages(query: string): Promise<readonly string[]> {
    const found: string[] = [];
    let token: unknown;
    do {
      const more = token === undefined ? '' : `&pagination_token=${token}`;
      const { json } = await test.posts(`${timeline}?max_results=100&${query}${more}`);
      found.push(...ids(json));
      token = at(json, 'meta', 'next_token');
    } while (token !== undefined);
    return found;
  }

  it('refuses a caller without its token', async () => {
    const { status, json } = await test.get(`${test.world.addresses.posts}${timeline}`);
    assert.equal(status, 401);
    assert.deepEqual(json, {
      title: 'Unauthorized',
      type: 'about:blank',
      status: 401,
      detail: 'Unauthorized',
    });
  });

  it('gives ten posts, newest first, with only their default fields', async () => {
    const { json } = await test.posts(timeline);
    const found = ids(json);
    assert.equal(found.length, 10);
    assert.deepEqual(
      found,
      [...found].sort((left, right) => compareIds(right, left)),
    );
    assert.deepEqual(Object.keys(list(json, 'data')[0] ?? {}), ['id', 'text', 'edit_history_tweet_ids']);
    assert.equal(at(json, 'meta', 'newest_id'), found[0]);
    assert.equal(at(json, 'meta', 'oldest_id'), found[9]);
  });

  it('has no data key when nothing matches', async () => {
    const { json: first } = await test.posts(timeline);
    const { json } = await test.posts(`${timeline}?since_id=${at(first, 'meta', 'newest_id')}`);
    assert.deepEqual(json, { meta: { result_count: 0 } });
  });

  it('gives posts newer than since_id and older than until_id', async () => {
    const all = ids((await test.posts(`${timeline}?max_results=100`)).json);
    const { json } = await test.posts(`${timeline}?max_results=100&since_id=${all[30]}&until_id=${all[10]}`);
    assert.deepEqual(ids(json), all.slice(11, 30));
  });

  it('gives posts created from start_time until end_time', async () => {
    const from = new Date(START_AT - DAY_MS).toISOString();
    const until = new Date(START_AT - DAY_MS / 2).toISOString();
    const { json } = await test.posts(`${timeline}?max_results=100&start_time=${from}&end_time=${until}`);
    assert.ok(ids(json).length > 10);
    for (const id of ids(json)) {
      assert.ok(createdAtOf(id) >= START_AT - DAY_MS && createdAtOf(id) < START_AT - DAY_MS / 2);
    }
  });

  it('pages without a hole and ends after 3,200 posts', async () => {
    const found = await pages('');
    assert.equal(found.length, 3_200);
    assert.equal(new Set(found).size, 3_200);
    assert.deepEqual(
      found,
      [...found].sort((left, right) => compareIds(right, left)),
    );
  });

  it('pages only over the newest 800 when replies are left out', async () => {
    const found = await pages('exclude=replies');
    assert.ok(found.length > 100 && found.length < 800, String(found.length));
  });

  it('writes created_at with the ms of the id', async () => {
    const { json } = await test.posts(`${timeline}?max_results=100&${FIELDS}`);
    for (const post of list(json, 'data')) {
      assert.equal(Date.parse(String(post.created_at)), createdAtOf(String(post.id)));
      assert.match(String(post.created_at), /\.\d{3}Z$/);
    }
  });

  it('marks kinds by references: none, retweeted, quoted, replied_to, or two of them', async () => {
    const [own] = test.world.addresses.accounts;
    const kinds = [
      'original',
      'quote',
      'repost',
      'reply',
      'quotingReply',
      'communityRepost',
      'selfReply',
    ] as const;
    for (const kind of kinds) test.world.control.post({ account: 'a', kind });
    const { json } = await test.posts(`${timeline}?max_results=100&${FIELDS}`);
    const mine = new Map(list(json, 'data').map((post) => [String(post.id), post]));
    const posted = list(test.world.control.state(), 'posts').map((post) => mine.get(String(post.id)));
    const types = posted.map((post) =>
      post?.referenced_tweets === undefined ? [] : list(post, 'referenced_tweets').map((row) => row.type),
    );
    assert.deepEqual(types, [
      [],
      ['quoted'],
      ['retweeted'],
      ['replied_to'],
      ['replied_to', 'quoted'],
      ['retweeted'],
      ['replied_to'],
    ]);
    assert.equal(posted[6]?.in_reply_to_user_id, own?.userId);
    assert.notEqual(posted[3]?.in_reply_to_user_id, own?.userId);
    assert.equal(posted[0]?.in_reply_to_user_id, undefined);
    assert.notEqual(posted[5]?.community_id, undefined);
  });

  it('includes the posts and users referred to, and names missing ones in errors', async () => {
    const expansions = 'expansions=referenced_tweets.id,referenced_tweets.id.author_id';
    let missing = 0;
    let token: unknown;
    for (let page = 0; page < 6; page++) {
      const more = token === undefined ? '' : `&pagination_token=${token}`;
      const { json } = await test.posts(`${timeline}?max_results=100&${FIELDS}&${expansions}${more}`);
      const known = new Set(list(json, 'includes', 'tweets').map((post) => post.id));
      const errors = new Set(
        at(json, 'errors') === undefined ? [] : list(json, 'errors').map((error) => error.resource_id),
      );
      for (const post of list(json, 'data')) {
        if (post.referenced_tweets === undefined) continue;
        for (const { id } of list(post, 'referenced_tweets')) assert.ok(known.has(id) !== errors.has(id));
      }
      assert.ok(list(json, 'includes', 'users').length > 0);
      missing += errors.size;
      token = at(json, 'meta', 'next_token');
    }
    assert.ok(missing > 0);
  });

  it('cuts reposts at 140 and long posts at 280 characters', async () => {
    const text = 'word '.repeat(100).trim();
    const { id } = test.world.control.post({ account: 'a', text });
    const { json } = await test.posts(`/2/tweets?ids=${id}&${FIELDS}`);
    const [post] = list(json, 'data');
    assert.equal(Array.from(String(post?.text)).length, 280);
    assert.equal(at(post, 'note_tweet', 'text'), text);
    const reposts = list((await test.posts(`${timeline}?max_results=100`)).json, 'data').map((row) =>
      String(row.text),
    );
    assert.ok(reposts.filter((row) => row.startsWith('RT @')).every((row) => Array.from(row).length <= 140));
  });

  it('looks up posts by id and names the missing in errors, with status 200', async () => {
    const [known] = ids((await test.posts(timeline)).json);
    const { status, json } = await test.posts(`/2/tweets?ids=${known},1234567890123456789`);
    assert.equal(status, 200);
    assert.deepEqual(ids(json), [known]);
    assert.equal(at(json, 'errors', 0, 'title'), 'Not Found Error');
    assert.equal(at(json, 'errors', 0, 'resource_id'), '1234567890123456789');
    const none = await test.posts('/2/tweets?ids=1234567890123456789');
    assert.deepEqual(Object.keys(none.json ?? {}), ['errors']);
  });

  it('hides a deleted post from timeline and look-up', async () => {
    const { id } = test.world.control.post({ account: 'a' });
    test.world.control.deletePost({ id });
    assert.ok(!ids((await test.posts(timeline)).json).includes(id));
    assert.deepEqual(Object.keys((await test.posts(`/2/tweets?ids=${id}`)).json ?? {}), ['errors']);
    assert.equal((await test.posts(`/2/tweets/${id}`)).status, 404);
  });

  it('shows an edit under a new id with the first one in its history', async () => {
    const { id } = test.world.control.post({ account: 'a', text: 'first' });
    test.clock.at += 30_000;
    const { id: editedId } = test.world.control.editPost({ id, text: 'second' });
    const posts = list((await test.posts(`${timeline}?since_id=${id}`)).json, 'data');
    const edited = posts.find((post) => post.id === editedId);
    assert.equal(edited?.text, 'second');
    assert.deepEqual(edited?.edit_history_tweet_ids, [id, editedId]);
    assert.ok(!ids((await test.posts(`${timeline}?max_results=100`)).json).includes(id));
    assert.equal(at((await test.posts(`/2/tweets/${id}`)).json, 'data', 'text'), 'first');
  });

  it('counts down its rate limit and answers 429 past it', () => {
    const clock = { at: START_AT };
    const base = testBase(3);
    const handle = createPostsRest({ ...base, now: () => clock.at, timeline: createTimeline(base) });
    const ask = () =>
      handle({
        method: 'GET',
        path: ['2', 'tweets'],
        query: new URLSearchParams({ ids: '1234567890123456789' }),
        headers: { authorization: `Bearer ${POSTS_TOKEN}` },
        body: '',
      });
    const { headers } = ask();
    assert.equal(headers?.['x-rate-limit-limit'], '3500');
    assert.equal(headers?.['x-rate-limit-remaining'], '3499');
    assert.equal(Number(headers?.['x-rate-limit-reset']), Math.floor(START_AT / 900_000) * 900 + 900);
    for (let index = 1; index < 3_500; index++) assert.equal(ask().status, 200);
    assert.equal(ask().status, 429);
    clock.at += 15 * MINUTE_MS;
    assert.equal(ask().status, 200);
  });

  it('refuses a page size outside 5 to 100 and a foreign page token', async () => {
    for (const query of [
      'max_results=4',
      'max_results=101',
      'max_results=x',
      'pagination_token=zzz',
      'since_id=abc',
    ]) {
      const { status, json } = await test.posts(`${timeline}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(at(json, 'title'), 'Invalid Request');
    }
  });

  it('finds an account by its handle', async () => {
    const { json } = await test.posts('/2/users/by/username/account_b_handle');
    assert.equal(at(json, 'data', 'id'), test.world.addresses.accounts[1]?.userId);
  });
});
