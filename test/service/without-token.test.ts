import assert from 'node:assert/strict';
import * as z from 'zod';
import { checkedFetch } from '../support/answer-check.ts';
import { readMeta, readTweets } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/service.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');
const MINUTE_MS = 60_000;
const PRO = { headers: { 'X-API-Key': 'demo_pro' } };
const INTERNAL = { headers: { 'X-API-Key': 'demo_internal' } };
const Prediction = z.object({
  data: z.array(
    z.object({
      via: z.string().nullable(),
      forecast: z.object({ p5: z.number(), p50: z.number(), p95: z.number() }).optional(),
    }),
  ),
});

describe('the service without a token of the posts API', function () {
  this.timeout(120_000);
  let stage: Stage;
  const meta = async (account = 'account_b') => (await readMeta(stage.url(), account)).data;
  const newest = async (limit = 20) => (await readTweets(stage.url(), 'account_b', limit)).data;
  const metrics = async () => (await checkedFetch(`${stage.url()}/metrics`, INTERNAL)).text();
  const find = async (id: string) => (await newest()).find(({ tweet_id }) => tweet_id === id);

  before(async () => {
    stage = await openStage({
      startAt: START_AT,
      flags: { postsFrom: 'oracle_list' },
      // Nobody without a token is answered.
      before: ({ control }) => control.fault({ role: 'posts', kind: 'status', status: 401 }),
    });
    await eventually('every event is counted', async () => {
      const events = [...(await meta('account_a')), ...(await meta())];
      return (
        events.length >= 6 &&
        events.every((event) => event.real_counter !== null && event.market_oracle_counter !== null)
      );
    });
  });
  after(() => stage.close());

  it('counts what the oracle counts, and says that its posts come from the oracle’s list', async () => {
    for (const account of ['account_a', 'account_b']) {
      await eventually(`${account} is counted like the oracle does`, async () =>
        (await meta(account)).every(({ settlement_delta }) => settlement_delta === 0),
      );
      for (const { via, deleted_count } of await meta(account)) {
        assert.deepEqual([via, deleted_count], ['oracle_list', null]);
      }
    }
  });

  it('lists posts with their kind left open, each counted and known to the oracle', async () => {
    for (const post of await newest(100)) {
      assert.deepEqual([post.is_reply, post.is_quote, post.is_counted], [null, null, true]);
      assert.deepEqual([post.via, post.deleted_ts], ['oracle_list', null]);
      assert.ok((post.oracle_ts ?? 0) > post.created_ts - 1_000);
    }
  });

  it('gives the age of what the oracle knows, not of its own polls, and calls it fresh by a limit that fits', async () => {
    // Prices may come later than the counts.
    await eventually('nothing is stale', async () => (await meta())[0]?.stale.length === 0);
    const [event] = await meta();
    // The oracle never has a post in its first 13 s, however often it is asked.
    assert.ok((event?.as_of.ages_ms.posts ?? 0) >= 13_000);
    assert.equal((await checkedFetch(`${stage.url()}/api/v1/health`)).status, 200);
  });

  it('asks the posts API for nothing', async () => {
    assert.doesNotMatch(await metrics(), /^tallywire_posts_api_requests_total\{/m);
  });

  it('takes in a new post once the oracle has it, and not before', async () => {
    stage.world.control.stallOracle({ account: 'b' });
    const { id } = stage.world.control.post({ account: 'b', kind: 'quote' });
    const [event] = await meta();
    stage.world.control.setUiCount({ event: event?.event_id ?? 0, count: 555 });
    await eventually('something else is seen', async () => (await meta())[0]?.market_ui_counter === 555);
    assert.equal(await find(id), undefined);
    stage.world.control.resumeOracle({ account: 'b' });
    stage.world.control.syncOracle({ account: 'b' });
    await eventually('it is listed', async () => (await find(id)) !== undefined);
    const post = await find(id);
    assert.deepEqual([post?.is_quote, post?.is_counted, post?.via], [null, true, 'oracle_list']);
  });

  it('keeps a post that was deleted after the oracle took it in', async () => {
    const { id } = stage.world.control.post({ account: 'b' });
    stage.world.control.syncOracle({ account: 'b' });
    await eventually('it is listed', async () => (await find(id)) !== undefined);
    stage.world.control.deletePost({ id });
    stage.world.control.syncOracle({ account: 'b' });
    await eventually(
      'the oracle was read again',
      async () => ((await meta())[0]?.as_of.ages_ms.posts ?? 0) < 60_000,
    );
    const post = await find(id);
    assert.deepEqual([post?.is_counted, post?.deleted_ts], [true, null]);
  });

  it('counts posts of 3.5 days ago that the oracle takes in late', async () => {
    const createdAt = stage.clock.wall() - 3.5 * 86_400_000;
    const counts = async () =>
      (await meta())
        .filter(({ start_ts }) => start_ts < createdAt)
        .map(({ real_counter }) => real_counter ?? 0);
    const before = await counts();
    assert.ok(before.length > 0);
    for (let index = 0; index < 10; index++) {
      stage.world.control.post({ account: 'b', createdAt: createdAt + index * 1_000 });
    }
    // A minute after the windows were last read they may be read again.
    stage.skip(2 * MINUTE_MS);
    stage.world.control.syncOracle({ account: 'b' });
    await eventually('they are counted', async () =>
      (await counts()).every((count, index) => count >= (before[index] ?? 0) + 10),
    );
  });

  it('forecasts', async () => {
    await eventually('every event has a forecast', async () => {
      const response = await checkedFetch(`${stage.url()}/api/v1/prediction/account_a`, PRO);
      const { data } = Prediction.parse(await response.json());
      return data.length > 0 && data.every(({ forecast, via }) => forecast && via === 'oracle_list');
    });
  });

  it('calls its posts stale when the oracle stops reading them, though its list still answers', async () => {
    stage.world.control.stallOracle();
    stage.skip(11 * MINUTE_MS);
    await eventually('they are stale', async () => {
      const [event] = await meta();
      return event?.stale.includes('posts') === true && (event.as_of.ages_ms.posts ?? 0) > 11 * MINUTE_MS;
    });
    stage.world.control.resumeOracle();
    stage.world.control.syncOracle();
    await eventually('they are fresh again', async () => !(await meta())[0]?.stale.includes('posts'));
  });

  it('learns the kinds of its posts when it is given a token, and doubles none', async () => {
    stage.world.control.stallOracle();
    const before = await meta();
    const ids = (await newest(30)).map(({ tweet_id }) => tweet_id);
    stage.world.control.clearFaults();
    await stage.restart({});
    // The timeline also has replies, which the oracle does not list.
    const all = async () => {
      const pages = await Promise.all(
        [0, 100, 200, 300, 400, 500].map((offset) => readTweets(stage.url(), 'account_b', 100, offset)),
      );
      return pages.flatMap(({ data }) => data);
    };
    // A few were deleted long ago: no timeline shows them, and of old ones nobody asks any more.
    await eventually('the timeline has shown most posts', async () => {
      const shown = new Map((await all()).map((post) => [post.tweet_id, post]));
      const clear = ids.filter((id) => shown.get(id)?.via === 'timeline' && shown.get(id)?.is_reply !== null);
      return clear.length >= 27;
    });
    const text = await metrics();
    assert.match(text, /^tallywire_posts_api_reads_total\{source="posts:b"\} [1-9]/m);
    assert.match(text, /^tallywire_posts_api_limit\{request="timeline"\} 10000$/m);
    assert.match(text, /^tallywire_posts_api_usd_day \d/m);
    const posts = await all();
    assert.equal(new Set(posts.map(({ tweet_id }) => tweet_id)).size, posts.length);
    for (const event of await meta()) {
      const known = before.find(({ event_id }) => event_id === event.event_id);
      assert.equal(event.via, 'timeline');
      assert.ok((event.real_counter ?? 0) >= (known?.real_counter ?? 0) - 3);
    }
  });
});
