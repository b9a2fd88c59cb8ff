import assert from 'node:assert/strict';
import { once } from 'node:events';
import { at, connect, type Frames, list, openTestWorld, START_AT, type TestWorld } from '../open.ts';

const SLUG = 'account-a-of-posts-july-14-july-21';

describe('book socket', () => {
  let test: TestWorld;
  let frames: Frames;
  let yes: string;
  let no: string;
  beforeEach(async () => {
    test = await openTestWorld();
    const { json } = await test.get(`${test.world.addresses.market}/events/slug/${SLUG}`);
    const market = list(json, 'markets').find((each) => Number(each.bestBid) > 0.1);
    [yes, no] = JSON.parse(String(market?.clobTokenIds));
    frames = await connect(test.world.addresses.bookSocket);
  });
  afterEach(async () => {
    frames.socket.terminate();
    await test.world.close();
  });

  const send = (message: unknown): void => frames.socket.send(JSON.stringify(message));
  const typed = (type: string) => (text: string) => text.includes(`"event_type":"${type}"`);

  async function subscribe(tokens: readonly string[], extra = {}): Promise<unknown> {
    send({ type: 'market', assets_ids: tokens, ...extra });
    return JSON.parse(await frames.until(typed('book')));
  }

  it('sends the books as an array first', async () => {
    const dump = await subscribe([yes, no]);
    assert.deepEqual(
      list(dump).map((book) => book.asset_id),
      [yes, no],
    );
    const rest = await test.get(`${test.world.addresses.book}/book?token_id=${yes}`);
    assert.deepEqual(at(dump, 0, 'bids'), at(rest.json, 'bids'));
    assert.equal(at(dump, 0, 'hash'), at(rest.json, 'hash'));
  });

  it('answers PING with PONG and a known token with NO NEW ASSETS, as bare texts', async () => {
    frames.socket.send('PING');
    await frames.until((text) => text === 'PONG');
    await subscribe([yes]);
    send({ operation: 'subscribe', assets_ids: [yes] });
    await frames.until((text) => text === 'NO NEW ASSETS');
    frames.socket.send('what');
    await frames.until((text) => text === 'INVALID OPERATION');
  });

  it('sends changes that lead from the old book to the one REST shows, for both tokens', async () => {
    const dump = await subscribe([yes]);
    test.world.control.setPrice({ token: yes, price: 0.62 });
    const change = JSON.parse(await frames.until(typed('price_change')));
    const changes = list(change, 'price_changes');
    assert.deepEqual(new Set(changes.map((row) => row.asset_id)), new Set([yes, no]));
    const book = new Map<string, unknown>();
    for (const side of ['bids', 'asks']) {
      for (const level of list(dump, 0, side))
        book.set(`${side === 'bids' ? 'BUY' : 'SELL'}${level.price}`, level.size);
    }
    for (const row of changes.filter((each) => each.asset_id === yes)) {
      if (row.size === '0') book.delete(`${row.side}${row.price}`);
      else book.set(`${row.side}${row.price}`, row.size);
    }
    const { json } = await test.get(`${test.world.addresses.book}/book?token_id=${yes}`);
    const wanted = new Map<string, unknown>();
    for (const side of ['bids', 'asks']) {
      for (const level of list(json, side))
        wanted.set(`${side === 'bids' ? 'BUY' : 'SELL'}${level.price}`, level.size);
    }
    assert.deepEqual(new Map([...book].sort()), new Map([...wanted].sort()));
    assert.equal(changes.find((row) => row.asset_id === yes)?.best_bid, '0.619');
    assert.match(String(at(change, 'timestamp')), /^\d{13}$/);
  });

  it('sends best_bid_ask only to those who ask for it', async () => {
    await subscribe([yes], { custom_feature_enabled: true });
    test.world.control.setPrice({ token: yes, price: 0.62 });
    const top = JSON.parse(await frames.until(typed('best_bid_ask')));
    assert.deepEqual([top.best_bid, top.best_ask, top.spread], ['0.619', '0.621', '0.002']);
    const plain = await connect(test.world.addresses.bookSocket);
    plain.socket.send(JSON.stringify({ type: 'market', assets_ids: [yes] }));
    await plain.until(typed('book'));
    test.world.control.setPrice({ token: yes, price: 0.7 });
    await plain.until(typed('price_change'));
    plain.socket.send('PING');
    await plain.until((text) => text === 'PONG');
    assert.ok(!plain.texts.some(typed('best_bid_ask')));
    plain.socket.terminate();
  });

  it('sends a frame when the tick changes near the ends', async () => {
    const { json } = await test.get(
      `${test.world.addresses.market}/events?series_slug=account-b-posts&limit=1`,
    );
    const market = list(json, 0, 'markets').find((each) => each.orderPriceMinTickSize === 0.01);
    const [token] = JSON.parse(String(market?.clobTokenIds));
    await subscribe([token]);
    test.world.control.setPrice({ token, price: 0.98 });
    const change = JSON.parse(await frames.until(typed('tick_size_change')));
    assert.deepEqual([change.old_tick_size, change.new_tick_size], ['0.01', '0.001']);
  });

  it('follows the clock: trades and changes come as slots of time pass', async () => {
    const { json } = await test.get(`${test.world.addresses.market}/events/slug/${SLUG}`);
    const tokens = list(json, 'markets').map((market) => JSON.parse(String(market.clobTokenIds))[0]);
    await subscribe(tokens);
    test.clock.at = START_AT + 170_000;
    await frames.until(typed('price_change'));
    const trade = JSON.parse(await frames.until(typed('last_trade_price')));
    assert.equal(typeof trade.price, 'string');
    assert.match(trade.side, /^(BUY|SELL)$/);
  });

  it('sends nothing more about a token unsubscribed', async () => {
    await subscribe([yes]);
    send({ operation: 'unsubscribe', assets_ids: [yes] });
    frames.socket.send('PING');
    await frames.until((text) => text === 'PONG');
    test.world.control.setPrice({ token: yes, price: 0.62 });
    send({ type: 'market', assets_ids: [yes] });
    await frames.until((text) => text.startsWith('[') && text.includes('"0.619"'));
    assert.ok(!frames.texts.some(typed('price_change')));
  });

  it('sends the winner when the event closes', async () => {
    await subscribe([yes], { custom_feature_enabled: true });
    test.world.control.closeEvent({ event: SLUG, winner: '1440+' });
    const resolved = JSON.parse(await frames.until(typed('market_resolved')));
    assert.deepEqual([resolved.winning_outcome, resolved.winning_asset_id], ['No', no]);
  });

  it('is silent while frozen, though it answers pings, and goes on after', async () => {
    await subscribe([yes]);
    test.world.control.freezeSocket({ socket: 'book' });
    test.world.control.setPrice({ token: yes, price: 0.62 });
    frames.socket.send('PING');
    await frames.until((text) => text === 'PONG');
    assert.ok(!frames.texts.some(typed('price_change')));
    test.world.control.thawSocket({ socket: 'book' });
    await frames.until(typed('price_change'));
  });

  it('drops every connection', async () => {
    test.world.control.dropSocket({ socket: 'book' });
    const [code] = await once(frames.socket, 'close');
    assert.equal(code, 1006);
  });
});
