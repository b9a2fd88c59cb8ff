import assert from 'node:assert/strict';
import { at, list, openTestWorld, START_AT, type TestWorld } from '../open.ts';

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' } };

describe('book', () => {
  let test: TestWorld;
  let url: string;
  let yes: string;
  let no: string;
  let market: unknown;
  before(async () => {
    test = await openTestWorld();
    url = test.world.addresses.book;
    const { json } = await test.get(
      `${test.world.addresses.market}/events/slug/account-a-of-posts-july-14-july-21`,
    );
    market = list(json, 'markets').find((each) => Number(each.bestBid) > 0.1);
    [yes, no] = JSON.parse(String(at(market, 'clobTokenIds')));
  });
  after(() => test.world.close());
  beforeEach(() => {
    test.clock.at = START_AT;
  });

  const prices = (book: unknown, side: string): readonly number[] =>
    list(book, side).map((level) => Number(level.price));

  it('writes prices and sizes as texts, the best level last', async () => {
    const { json } = await test.get(`${url}/book?token_id=${yes}`);
    assert.equal(at(json, 'asset_id'), yes);
    assert.equal(at(json, 'market'), at(market, 'conditionId'));
    assert.equal(at(json, 'timestamp'), String(START_AT));
    assert.match(String(at(json, 'hash')), /^[0-9a-f]{40}$/);
    assert.equal(typeof at(json, 'bids', 0, 'price'), 'string');
    const [bids, asks] = [prices(json, 'bids'), prices(json, 'asks')];
    assert.deepEqual(
      bids,
      [...bids].sort((left, right) => left - right),
    );
    assert.deepEqual(
      asks,
      [...asks].sort((left, right) => right - left),
    );
    assert.ok((bids.at(-1) ?? 1) < (asks.at(-1) ?? 0));
  });

  it('agrees with the listing and mirrors the other token', async () => {
    const { json } = await test.get(`${url}/book?token_id=${yes}`);
    const { json: mirror } = await test.get(`${url}/book?token_id=${no}`);
    assert.equal(prices(json, 'bids').at(-1), at(market, 'bestBid'));
    assert.equal(prices(json, 'asks').at(-1), at(market, 'bestAsk'));
    const turned = prices(mirror, 'bids').map((price) => Math.round(1000 - price * 1000) / 1000);
    assert.deepEqual(turned, prices(json, 'asks'));
  });

  it('gives many books, midpoints and prices at once', async () => {
    const body = JSON.stringify([{ token_id: yes }, { token_id: no }, { token_id: '12345' }]);
    const books = list((await test.get(`${url}/books`, { ...JSON_POST, body })).json);
    assert.deepEqual(
      books.map((book) => book.asset_id),
      [yes, no],
    );
    const mids = (await test.get(`${url}/midpoints`, { ...JSON_POST, body })).json;
    assert.equal(Number(at(mids, yes)) + Number(at(mids, no)), 1);
    const quoted = (await test.get(`${url}/prices?token_ids=${yes},${no}`)).json;
    assert.equal(Number(at(quoted, yes, 'BUY')), at(market, 'bestBid'));
  });

  it('answers a price per side, a midpoint, a spread, a tick and the time', async () => {
    const price = async (side: string) =>
      Number(at((await test.get(`${url}/price?token_id=${yes}&side=${side}`)).json, 'price'));
    const [bid, ask] = [await price('BUY'), await price('SELL')];
    assert.deepEqual([bid, ask], [at(market, 'bestBid'), at(market, 'bestAsk')]);
    const { json: mid } = await test.get(`${url}/midpoint?token_id=${yes}`);
    assert.ok(Math.abs(Number(at(mid, 'mid')) - (bid + ask) / 2) < 1e-9);
    assert.equal(at((await test.get(`${url}/tick-size?token_id=${yes}`)).json, 'minimum_tick_size'), 0.001);
    assert.equal(at((await test.get(`${url}/neg-risk?token_id=${yes}`)).json, 'neg_risk'), true);
    assert.equal((await test.get(`${url}/time`)).json, START_AT / 1000);
  });

  it('refuses a token that is none, an unknown one and one of a closed event', async () => {
    const bad = await test.get(`${url}/book?token_id=abc`);
    assert.deepEqual([bad.status, bad.json], [400, { error: 'Invalid token id' }]);
    const none = { error: 'No orderbook exists for the requested token id' };
    const unknown = await test.get(`${url}/book?token_id=123`);
    assert.deepEqual([unknown.status, unknown.json], [404, none]);
    const closed = await test.get(`${test.world.addresses.market}/events?closed=true&tag_id=972&limit=1`);
    const [token] = JSON.parse(String(at(closed.json, 0, 'markets', 0, 'clobTokenIds')));
    const gone = await test.get(`${url}/book?token_id=${token}`);
    assert.deepEqual([gone.status, gone.json], [404, none]);
    assert.equal((await test.get(`${url}/books`, { ...JSON_POST, body: '{' })).status, 400);
  });

  it('gives a history of prices in seconds and numbers', async () => {
    const { json } = await test.get(`${url}/prices-history?market=${yes}&interval=6h`);
    const rows = list(json, 'history');
    assert.ok(rows.length > 50);
    assert.ok(rows.every((row) => typeof row.p === 'number' && Number(row.t) <= START_AT / 1000));
    assert.equal((await test.get(`${url}/prices-history?market=${yes}&interval=1h&startTs=1`)).status, 400);
  });

  it('gives the past prices of several tokens at once, none of them from after the end', async () => {
    const endS = Math.floor(START_AT / 1000) - 3_600;
    const body = { markets: [yes, no], start_ts: endS - 3_600, end_ts: endS, fidelity: 10 };
    const ask = (given: unknown) =>
      test.get(`${url}/batch-prices-history`, { method: 'POST', body: JSON.stringify(given) });
    const { json } = await ask(body);
    for (const token of [yes, no]) {
      const rows = list(json, 'history', token);
      assert.deepEqual(
        rows.map(({ t }) => t),
        [0, 1, 2, 3, 4, 5, 6].map((step) => endS - 3_600 + 600 * step),
      );
    }
    const one = await test.get(`${url}/prices-history?market=${yes}&startTs=${endS}&endTs=${endS}`);
    assert.deepEqual(list(one.json, 'history'), [list(json, 'history', yes).at(-1)]);
    assert.equal((await ask({ ...body, markets: [] })).status, 400);
  });
});
