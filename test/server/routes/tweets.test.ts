import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY_MS, type Output } from '../../../streams/internal.ts';
import { FRESH_AGES, freshnessOutput, NOON, postOutput, timeline } from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

const PATH = '/api/v1/meta/account_a/tweets';
const PRO = { 'X-API-Key': 'demo_pro' };

/** Posts with any text there is, lone surrogates included. */
const anyPost: fc.Arbitrary<Output> = fc
  .record(
    {
      id: fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String),
      text: fc.string({ unit: 'binary', maxLength: 300 }),
      createdAt: fc.integer({ min: NOON - DAY_MS, max: NOON }),
      isReply: fc.option(fc.boolean()),
      isQuote: fc.option(fc.boolean()),
      isRepost: fc.boolean(),
      isCounted: fc.boolean(),
      deletedAt: fc.option(fc.integer({ min: NOON - DAY_MS, max: NOON })),
    },
    { noNullPrototype: true },
  )
  .map((fields) => postOutput(fields));

describe('GET /meta/{account}/tweets', () => {
  let running: Running;
  const begin = async (loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const page = async (query: string, headers: Record<string, string> = {}) => {
    const { data, limit, offset } = await json(await running.get(PATH + query, headers));
    assert.ok(Array.isArray(data));
    return { ids: data.map((post) => Number(post.tweet_id)), data, limit, offset };
  };
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
  afterEach(() => running.stop());

  it('gives the post record of spec 2.3 with the additive fields', async () => {
    await begin([
      postOutput(
        { text: 'é "quoted" 🚀', isReply: true, isQuote: true, isRepost: true, deletedAt: NOON - 10 },
        { seq: 12, at: NOON - 10 },
      ),
    ]);
    running.put(freshnessOutput(FRESH_AGES, { seq: 13 }));

    const response = await running.get(PATH, PRO);

    assert.deepEqual(await json(response), {
      timestamp: NOON,
      limit: 15,
      offset: 0,
      data: [
        {
          tweet_id: '100',
          text: 'é "quoted" 🚀',
          created_ts: NOON - 60_000,
          is_reply: true,
          is_quote: true,
          is_retweet: true,
          is_counted: true,
          seen_ts: NOON - 48_500,
          deleted_ts: NOON - 10,
          url: 'https://posts.invalid/100',
          via: 'timeline',
          oracle_ts: null,
          as_of: {
            seq: 12,
            ts: NOON - 10,
            ages_ms: { posts: 400, oracle: 2_000, ui: 3_000, prices: 900 },
          },
        },
      ],
    });
  });

  it('leaves the kind of a post open that only the oracle’s list shows', async () => {
    const oracleAt = NOON - 20_000;
    await begin([postOutput({ isReply: null, isQuote: null, via: 'oracle_list', oracleAt })]);
    const [listed] = (await page('', PRO)).data;
    assert.deepEqual(
      [listed.is_reply, listed.is_quote, listed.is_retweet, listed.via, listed.oracle_ts],
      [null, null, false, 'oracle_list', oracleAt],
    );
  });

  it('gives a FREE caller the latest 15 and never shows which of them count', async () => {
    await begin(timeline(40, { oracleAt: NOON }));
    for (const headers of [{}, { 'X-API-Key': '' }, { 'X-API-Key': 'demo_free' }]) {
      const { ids, data, limit, offset } = await page('?limit=3&offset=7', headers);
      assert.deepEqual([limit, offset], [15, 0]);
      assert.deepEqual(ids, down(40, 26));
      assert.ok(data.every((post) => post.is_counted === null && post.oracle_ts === null));
    }
  });

  it('gives a PRO or INTERNAL caller the requested page, and shows which posts count', async () => {
    await begin(timeline(140));
    for (const headers of [PRO, { 'X-API-Key': 'demo_internal' }]) {
      assert.deepEqual((await page('', headers)).ids, down(140, 126));
      const { ids, data, limit, offset } = await page('?limit=100&offset=30', headers);
      assert.deepEqual([limit, offset], [100, 30]);
      assert.deepEqual(ids, down(110, 11));
      assert.deepEqual(
        data.map((post) => post.is_counted),
        ids.map((id) => id % 2 === 1),
      );
    }
  });

  it('gives an empty page past the end', async () => {
    await begin(timeline(3));
    assert.deepEqual((await page('?offset=2', PRO)).ids, [1]);
    assert.deepEqual((await page('?offset=3', PRO)).ids, []);
    const { ids, offset } = await page(`?offset=${'9'.repeat(400)}`, PRO);
    assert.deepEqual([ids, offset], [[], Number.MAX_SAFE_INTEGER]);
  });

  it('keeps the posts of the accounts apart', async () => {
    await begin([...timeline(2), postOutput({ account: 'b', id: '900' })]);
    const { data } = await json(await running.get('/api/v1/meta/account_b/tweets'));
    assert.ok(Array.isArray(data));
    assert.deepEqual(
      data.map((post) => post.tweet_id),
      ['900'],
    );
  });

  it('serves a post found gone in its place', async () => {
    await begin(timeline(3));
    await page('', PRO);
    running.put(
      postOutput(
        { id: '2', createdAt: NOON - 2 * 60_000, deletedAt: NOON },
        { seq: 9, cause: 'post_deleted' },
      ),
    );
    const { ids, data } = await page('', PRO);
    assert.deepEqual(ids, [3, 2, 1]);
    assert.equal(data[1].deleted_ts, NOON);
  });

  it('refuses a key it does not know, before it looks at the parameters', async () => {
    await begin([]);
    for (const key of ['nobody', 'demo_pro ,', 'x'.repeat(10_000)]) {
      const response = await running.get(`${PATH}?limit=0`, { 'X-API-Key': key });
      assert.equal(response.status, 401);
      assert.equal((await json(response)).code, 'key_invalid');
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  it('lists every fault of the parameters, in the order limit, offset', async () => {
    await begin([]);
    for (const headers of [{}, PRO]) {
      const response = await running.get(`${PATH}?offset=-1&limit=101`, headers);
      assert.equal(response.status, 422);
      assert.deepEqual(await json(response), {
        detail: [
          {
            loc: ['query', 'limit'],
            msg: 'Input should be less than or equal to 100',
            type: 'less_than_equal',
          },
          {
            loc: ['query', 'offset'],
            msg: 'Input should be greater than or equal to 0',
            type: 'greater_than_equal',
          },
        ],
      });
    }
  });

  it('takes the last of a repeated parameter and ignores those it does not know', async () => {
    await begin(timeline(9));
    assert.equal((await page('?limit=x&limit=2&unknown=1', PRO)).ids.length, 2);
  });

  it('carries any text through unharmed', async () => {
    await begin([]);
    let seq = 1;
    await fc.assert(
      fc.asyncProperty(anyPost, async (output) => {
        if (output.stream !== 'posts') return;
        seq += 1;
        running.put({ ...output, seq, key: 'only' });
        const response = await running.get(PATH, PRO);
        const length = Number(response.headers.get('content-length'));
        const body = await response.text();
        assert.equal(Buffer.byteLength(body), length);
        assert.equal(JSON.parse(body).data[0].text, output.record.text);
      }),
      { numRuns: 100 },
    );
  });

  it('never fails on any query string', async () => {
    await begin(timeline(20));
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => encodeURIComponent(text)),
      fc.string({ unit: fc.constantFrom(...'0123456789+-_.e%20'), maxLength: 30 }),
      fc.integer().map(String),
    );
    const query = fc
      .array(fc.tuple(fc.constantFrom('limit', 'offset', '__proto__', 'x'), value), { maxLength: 5 })
      .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'));
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async (text, isPro) => {
        const response = await running.get(`${PATH}?${text}`, isPro ? PRO : {});
        await response.arrayBuffer();
        assert.ok(response.status === 200 || response.status === 422, `${response.status} for ${text}`);
      }),
      { numRuns: 300 },
    );
  });
});
