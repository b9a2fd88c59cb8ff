import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';

import { at, type Json, list, openTestWorld, START_AT, type TestWorld } from '../open.ts';

describe('market', () => {
  let test: TestWorld;
  let url: string;
  before(async () => {
    test = await openTestWorld();
    url = test.world.addresses.market;
  });
  after(() => test.world.close());
  beforeEach(() => {
    test.clock.at = START_AT + MINUTE_MS;
  });

  async function events(query: string): Promise<readonly Json[]> {
    return list((await test.get(`${url}/events?${query}`)).json);
  }

  async function bySlug(slug: unknown): Promise<unknown> {
    return (await test.get(`${url}/events/slug/${slug}`)).json;
  }

  it('writes JSON inside strings, ids as texts and volumes as texts', async () => {
    const [event] = await events('tag_slug=post-markets&limit=1');
    const [market] = list(event, 'markets');
    assert.match(String(event?.id), /^\d+$/);
    assert.equal(typeof event?.id, 'string');
    assert.equal(typeof event?.volume, 'number');
    assert.equal(typeof market?.volume, 'string');
    assert.equal(market?.outcomes, '["Yes", "No"]');
    const tokens: unknown = JSON.parse(String(market?.clobTokenIds));
    assert.ok(Array.isArray(tokens) && tokens.every((token) => /^\d{70,78}$/.test(token)));
    const prices: unknown = JSON.parse(String(market?.outcomePrices));
    assert.ok(Array.isArray(prices) && Math.abs(Number(prices[0]) + Number(prices[1]) - 1) < 1e-9);
    assert.match(String(market?.conditionId), /^0x[0-9a-f]{64}$/);
    assert.match(String(market?.groupItemThreshold), /^\d+$/);
    assert.match(String(event?.startDate), /\.\d{6}Z$/);
    assert.match(String(event?.endDate), /:00Z$/);
  });

  it('does not list the buckets in their order', async () => {
    const event = await bySlug('account-a-of-posts-july-14-july-21');
    const order = list(event, 'markets').map((market) => Number(market.groupItemThreshold));
    assert.equal(order.length, 32);
    assert.notDeepEqual(
      order,
      [...order].sort((left, right) => left - right),
    );
  });

  it('has prices that add up to about one over the buckets of a count', async () => {
    for (const event of await events('tag_slug=post-markets&limit=100')) {
      const sum = list(event, 'markets')
        .filter((market) => market.outcomePrices !== undefined)
        .reduce((total, market) => total + Number(JSON.parse(String(market.outcomePrices))[0]), 0);
      assert.ok(sum === 0 || (sum > 0.75 && sum < 1.3), `${event.slug} ${sum}`);
    }
  });

  it('leaves the best bid out of a dead bucket', async () => {
    const event = await bySlug('account-a-of-posts-july-10-july-17');
    const dead = list(event, 'markets').find((market) => market.groupItemTitle === '<240');
    assert.equal(dead?.bestBid, undefined);
    assert.ok(Number(dead?.bestAsk) <= 0.002);
  });

  it('starts an event at its listing and ends it with the count', async () => {
    const event = await bySlug('account-a-of-posts-july-14-july-21');
    assert.equal(at(event, 'endDate'), '2026-07-21T16:00:00Z');
    assert.ok(Date.parse(String(at(event, 'startDate'))) < Date.UTC(2026, 6, 14, 16) - 2 * DAY_MS);
  });

  it('shows no count before the start, then one that follows the oracle by one to four minutes', async () => {
    assert.equal(at(await bySlug('account-a-of-posts-july-17-july-24'), 'tweetCount'), null);
    const slug = 'account-a-of-posts-july-14-july-16';
    const { control } = test.world;
    control.setOracleTotal({ event: slug, total: 777 });
    assert.notEqual(at(await bySlug(slug), 'tweetCount'), 777);
    test.clock.at += 59_000;
    assert.notEqual(at(await bySlug(slug), 'tweetCount'), 777);
    test.clock.at += 182_000;
    assert.equal(at(await bySlug(slug), 'tweetCount'), 777);
    control.setOracleTotal({ event: slug, total: null });
  });

  it('hides closed events unless they are asked for, and then shows them alone', async () => {
    const open = await events('tag_slug=post-markets&limit=500');
    const closed = await events('tag_slug=post-markets&limit=500&closed=true');
    assert.ok(open.length >= 8 && open.every((event) => event.closed === false));
    assert.ok(closed.length > 100 && closed.every((event) => event.closed === true && event.active === true));
    const oldest = Math.min(...closed.map((event) => Date.parse(String(event.endDate))));
    assert.ok(oldest < START_AT - 90 * DAY_MS);
  });

  it('has exactly one winner in a closed count, the bucket of its final count', async () => {
    for (const event of await events('tag_slug=post-markets&limit=500&closed=true')) {
      const won = list(event, 'markets').filter((market) => market.outcomePrices === '["1", "0"]');
      assert.equal(won.length, 1, String(event.slug));
      const [lo = 0, hi = Number.POSITIVE_INFINITY] = bounds(String(won[0]?.groupItemTitle));
      assert.ok(Number(event.tweetCount) >= lo && Number(event.tweetCount) <= hi, String(event.slug));
      assert.equal(won[0]?.umaResolutionStatus, 'resolved');
      assert.match(String(won[0]?.closedTime), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/);
    }
  });

  it('proposes a result after the end and closes one to three hours after it', async () => {
    const slug = 'account-a-of-posts-july-14-july-16';
    test.clock.at = Date.UTC(2026, 6, 16, 16, 30);
    const proposed = await bySlug(slug);
    assert.equal(at(proposed, 'closed'), false);
    assert.equal(at(proposed, 'markets', 0, 'umaResolutionStatus'), 'proposed');
    test.clock.at += 3 * HOUR_MS;
    assert.equal(at(await bySlug(slug), 'closed'), true);
  });

  it('pages by offset and by cursor over the same rows', async () => {
    const whole = (await events('tag_id=972&limit=500')).map((event) => event.id);
    const byOffset: unknown[] = [];
    for (let offset = 0; offset < whole.length; offset += 5) {
      byOffset.push(...(await events(`tag_id=972&limit=5&offset=${offset}`)).map((event) => event.id));
    }
    assert.deepEqual(byOffset, whole);
    const byCursor: unknown[] = [];
    let cursor: unknown = '';
    while (cursor !== undefined) {
      const { json } = await test.get(`${url}/events/keyset?tag_id=972&limit=5&after_cursor=${cursor}`);
      byCursor.push(...list(json, 'events').map((event) => event.id));
      cursor = at(json, 'next_cursor');
    }
    assert.deepEqual(byCursor, whole);
  });

  it('ignores a parameter named cursor', async () => {
    const first = await test.get(`${url}/events/keyset?limit=3`);
    const again = await test.get(`${url}/events/keyset?limit=3&cursor=${at(first.json, 'next_cursor')}`);
    assert.deepEqual(at(again.json, 'events', 0, 'id'), at(first.json, 'events', 0, 'id'));
  });

  it('refuses an offset with a cursor, a tag that is no number and a broken cursor', async () => {
    for (const query of [
      'keyset?offset=3',
      '?tag_id=post-markets',
      'keyset?after_cursor=!!',
      '?limit=x',
      '?end_date_min=soon',
    ]) {
      const { status, json } = await test.get(`${url}/events${query.startsWith('?') ? '' : '/'}${query}`);
      assert.equal(status, 422, query);
      assert.equal(at(json, 'type'), 'validation error');
    }
  });

  it('clamps the limits of cursor pages', async () => {
    const { json } = await test.get(`${url}/markets/keyset?limit=900`);
    assert.equal(list(json, 'markets').length, 100);
  });

  it('orders by end date and filters by it and by series', async () => {
    const ends = (await events('order=endDate&ascending=false&limit=50')).map((event) =>
      String(event.endDate),
    );
    assert.deepEqual(ends, [...ends].sort().reverse());
    const until = new Date(START_AT + 2 * DAY_MS).toISOString();
    assert.ok(
      (await events(`end_date_max=${until}&limit=50`)).every((event) => String(event.endDate) <= until),
    );
    const series = await events('series_slug=account-b-posts-48h');
    assert.ok(series.length > 0 && series.every((event) => event.seriesSlug === 'account-b-posts-48h'));
  });

  it('names its errors as the market does', async () => {
    const cases = [
      ['/events/slug/unknown', 404, 'slug not found'],
      ['/events/1', 404, 'id not found'],
      ['/events/abc', 422, 'id is invalid'],
      ['/events/slug/Not_A_Slug', 422, 'slug is invalid'],
    ] as const;
    for (const [path, status, error] of cases) {
      const reply = await test.get(url + path);
      assert.deepEqual([reply.status, at(reply.json, 'error')], [status, error]);
    }
    assert.deepEqual(await events('slug=unknown'), []);
  });

  it('finds events by id, markets by slug, and tags and series', async () => {
    const [event] = await events('tag_slug=post-markets&limit=1');
    assert.equal(at((await test.get(`${url}/events/${event?.id}`)).json, 'slug'), event?.slug);
    assert.equal(at((await test.get(`${url}/events/${event?.id}/tags`)).json, 0, 'slug'), 'post-markets');
    const slug = at(event, 'markets', 0, 'slug');
    assert.equal(at((await test.get(`${url}/markets/slug/${slug}`)).json, 'events', 0, 'id'), event?.id);
    assert.equal(at((await test.get(`${url}/tags/slug/post-markets`)).json, 'id'), '972');
    const { json } = await test.get(`${url}/series?slug=account-a-posts`);
    assert.ok(list(json, 0, 'events').length > 10);
    assert.ok(list((await test.get(`${url}/public-search?q=account a`)).json, 'events').length > 0);
  });

  it('lists crypto events of three kinds', async () => {
    const rows = await events('tag_slug=crypto&limit=100');
    const hourly = rows.find((row) => row.slug === 'btc-up-or-down-july-15-2026-2pm-et');
    assert.equal(at(hourly, 'markets', 0, 'outcomes'), '["Up", "Down"]');
    assert.ok(Number(at(hourly, 'eventMetadata', 'priceToBeat')) > 10_000);
    assert.equal(at(hourly, 'markets', 0, 'eventStartTime'), '2026-07-15T18:00:00Z');
    const next = rows.find((row) => row.slug === 'btc-up-or-down-july-15-2026-3pm-et');
    assert.equal(next?.eventMetadata, null);
    const range = rows.find((row) => row.slug === 'btc-price-on-july-16');
    assert.ok(list(range, 'markets').some((market) => /^<\d\d,000$/.test(String(market.groupItemTitle))));
    const ladder = rows.find((row) => row.slug === 'btc-above-on-july-16');
    assert.equal(ladder?.negRisk, false);
  });
});

function bounds(title: string): readonly number[] {
  if (title.startsWith('<')) return [0, Number(title.slice(1)) - 1];
  return title.endsWith('+') ? [Number(title.slice(0, -1))] : title.split('-').map(Number);
}
