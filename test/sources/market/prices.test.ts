import assert from 'node:assert/strict';
import type { WebSocket } from 'ws';
import { SourceError } from '../../../src/errors.ts';
import { pricesSource } from '../../../src/sources/market/prices.ts';
import type { Quote } from '../../../streams/internal.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { wireBookOf, yesToken } from '../../support/payloads.ts';
import { openScriptedServer, type ScriptedServer } from '../../support/scripted-server.ts';
import { fakeKnown, runSource, type SourceRun } from '../../support/source-run.ts';

const T0 = yesToken(0);

describe('pricesSource', () => {
  let server: ScriptedServer;
  let run: SourceRun | undefined;
  const sockets: WebSocket[] = [];
  beforeEach(async () => {
    sockets.length = 0;
    server = await openScriptedServer();
    server.onSocket((socket) => sockets.push(socket));
    server.answer(() => []);
  });
  afterEach(async () => {
    run?.stop();
    await server.close();
  });

  function start(settings = FAST, known = fakeKnown()): SourceRun {
    if (known.records.size === 0) known.records.set(1, activeEvent(1));
    run = runSource(pricesSource(localEndpoints(server), settings), known);
    return run;
  }

  const say = (message: unknown) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    for (const socket of sockets) socket.send(text);
  };
  const book = (token: string, bid: string, ask: string, extra = {}) => ({
    event_type: 'book',
    ...wireBookOf(token, bid, ask, extra),
  });
  const change = (price: string, size: string, side: string, extra = {}) => ({
    event_type: 'price_change',
    market: '0x',
    timestamp: '1757908892999',
    price_changes: [{ asset_id: T0, price, size, side, hash: 'f', ...extra }],
  });

  const quotes = (token = T0): readonly Quote[] =>
    (run?.facts() ?? [])
      .flatMap((fact) => (fact.kind === 'prices' ? fact.quotes : []))
      .filter((quote) => quote.token === token);
  const top = () => {
    const quote = quotes().at(-1);
    return quote === undefined ? undefined : [quote.bid, quote.ask, quote.last];
  };
  const topIs = (bid: number | null, ask: number | null, last: number | null = null) =>
    eventually(
      `top ${bid} ${ask} ${last}, not ${top()}`,
      () => JSON.stringify(top()) === JSON.stringify([bid, ask, last]),
    );

  async function open(settings = FAST) {
    start(settings);
    await eventually('it subscribes', () => server.heard.length > 0);
  }

  it('subscribes to the Yes tokens and keeps saying PING', async () => {
    await open();
    assert.deepEqual(JSON.parse(server.heard[0] ?? ''), {
      type: 'market',
      assets_ids: [0, 1, 2].map(yesToken),
      custom_feature_enabled: true,
    });
    await eventually('pings', () => server.heard.filter((text) => text === 'PING').length > 2);
  });

  it('follows books, changes, tops and trades', async () => {
    await open();
    say([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    say(change('0.5', '200', 'BUY'));
    await topIs(0.5, 0.52);
    say(change('0.5', '0', 'BUY'));
    await topIs(0.48, 0.52);
    say(change('0.51', '5', 'SELL'));
    await topIs(0.48, 0.51);
    say({
      event_type: 'last_trade_price',
      asset_id: T0,
      price: '0.51',
      size: '25',
      side: 'BUY',
      timestamp: '1',
    });
    await topIs(0.48, 0.51, 0.51);
    say({
      event_type: 'best_bid_ask',
      asset_id: T0,
      best_bid: '0.49',
      best_ask: '',
      spread: '',
      timestamp: '1',
    });
    await topIs(0.49, null, 0.51);
    say(book(T0, '0.3', '0.4', { last_trade_price: '0.35' }));
    await topIs(0.3, 0.4, 0.35);
    assert.ok(run?.facts().every((fact) => fact.kind === 'prices' && fact.eventId === 1));
  });

  it('believes the best prices of a message over its own book, and reads 0 and 1 as an empty side', async () => {
    await open();
    say([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    say(change('0.4', '10', 'BUY', { best_bid: '0.47', best_ask: '0.53' }));
    await topIs(0.47, 0.53);
    say(change('0.4', '0', 'BUY', { best_bid: '0', best_ask: '1' }));
    await topIs(null, null);
  });

  it('does nothing with a change before the first whole book', async () => {
    await open();
    say(change('0.5', '200', 'BUY', { best_bid: '0.5', best_ask: '0.6' }));
    say(book(yesToken(1), '0.2', '0.3'));
    await eventually('the other token is told', () => quotes(yesToken(1)).length > 0);
    assert.deepEqual(quotes(), []);
  });

  it('does not tell a quote that has not changed, but shows life', async () => {
    await open();
    say(book(T0, '0.48', '0.52'));
    await topIs(0.48, 0.52);
    const before = run?.deliveries.length ?? 0;
    for (let turn = 0; turn < 20; turn++) say(book(T0, '0.48', '0.52'));
    await eventually('life is shown', () => (run?.deliveries.length ?? 0) > before);
    assert.equal(quotes().length, 1);
  });

  it('shows life after each good snapshot while the socket has nothing to say', async () => {
    server.answer(() => [wireBookOf(T0, '0.48', '0.52')]);
    await open({ ...FAST, booksPeriodMs: 40 });
    await topIs(0.48, 0.52);
    const before = run?.deliveries.length ?? 0;
    await eventually('life is shown thrice', () => (run?.deliveries.length ?? 0) > before + 2);
    assert.deepEqual(run?.deliveries.slice(before).flat(), []);
  });

  it('tells only the newest of a burst, however long a delivery takes', async () => {
    const known = fakeKnown();
    known.records.set(1, activeEvent(1));
    const delivered: number[] = [];
    let release = () => {};
    const subscription = pricesSource(localEndpoints(server), FAST)
      .run({
        now: Date.now,
        lookups: known,
        refused: () => {},
        deliver: async (facts) => {
          for (const fact of facts) if (fact.kind === 'prices') delivered.push(fact.quotes[0]?.bid ?? -1);
          if (delivered.length > 0)
            await new Promise<void>((resolve) => {
              release = resolve;
            });
        },
      })
      .subscribe({ error: assert.fail });
    await eventually('it subscribes', () => server.heard.length > 0);
    say(book(T0, '0.1', '0.9'));
    await eventually('the first is told', () => delivered.length === 1);
    for (let bid = 1; bid <= 500; bid++) say(book(T0, (0.1 + bid / 10_000).toFixed(4), '0.9'));
    say('PONG');
    await new Promise((resolve) => sockets[0]?.ping(resolve));
    await eventually('the burst is over', () => sockets[0]?.bufferedAmount === 0);
    await new Promise((resolve) => sockets[0]?.once('pong', resolve).ping());
    release();
    await eventually('the last is told', () => delivered.at(-1) === 0.15);
    assert.equal(delivered.length, 2);
    release();
    subscription.unsubscribe();
  });

  it('passes over words, and counts a bad frame without stopping', async () => {
    await open();
    for (const word of ['PONG', 'NO NEW ASSETS', '']) say(word);
    const bad = [
      '{"event_type":"book"',
      '[{"event_type":"book","asset_id":"1"},7]',
      { event_type: 'book', ...wireBookOf(T0, '1.7', '0.5') },
      { event_type: 'book', ...wireBookOf(T0, 'NaN', '0.5') },
      [book(T0, '0.1', '0.2'), { event_type: 'last_trade_price', asset_id: T0, price: '-0.1' }],
      { no: 'type' },
    ];
    for (const frame of bad) say(frame);
    for (const socket of sockets) socket.send(Buffer.from([1, 2, 3]));
    say({ event_type: 'new_market', id: 1, anything: true });
    say(book(T0, '0.48', '0.52'));
    await topIs(0.48, 0.52);
    assert.equal(run?.refusals.length, bad.length + 1);
    assert.equal(quotes().length, 1);
    assert.equal(run?.error(), undefined);
  });

  it('subscribes to events as they open, drops them as they close, and rests without any', async () => {
    await open();
    run?.known.records.set(2, activeEvent(2, 2, 3));
    await eventually('it adds', () => server.heard.some((text) => text.includes('"subscribe"')));
    run?.known.records.delete(1);
    await eventually('it drops', () => server.heard.some((text) => text.includes('"unsubscribe"')));
    const added = server.heard.find((text) => text.includes('"subscribe"')) ?? '';
    assert.deepEqual(JSON.parse(added).assets_ids, [yesToken(3), yesToken(4)]);
    run?.known.records.clear();
    await eventually('it disconnects', () => server.sockets.size === 0);
    run?.known.records.set(1, activeEvent(1));
    await eventually('it connects again', () => server.sockets.size === 1);
    assert.equal(run?.error(), undefined);
  });

  it('opens a second connection past 400 tokens', async () => {
    const known = fakeKnown();
    known.records.set(1, activeEvent(1, 401));
    start(FAST, known);
    await eventually(
      'both subscribe',
      () => server.heard.filter((text) => text.includes('"market"')).length === 2,
    );
    const sizes = server.heard.flatMap((text) =>
      text.startsWith('{') ? [JSON.parse(text).assets_ids.length] : [],
    );
    assert.deepEqual(sizes.sort(), [1, 400]);
  });

  it('reads whole books at the start and now and then, and leaves outdated ones aside', async () => {
    server.answer(({ body }) =>
      JSON.parse(body).map((asked: { token_id: string }) => wireBookOf(asked.token_id, '0.2', '0.3')),
    );
    await open({ ...FAST, booksPeriodMs: 60 });
    await topIs(0.2, 0.3);
    assert.deepEqual(server.requests[0]?.method, 'POST');
    say(book(T0, '0.25', '0.3', { timestamp: '1757908899999' }));
    await topIs(0.25, 0.3);
    const asked = server.requests.length;
    await eventually('books are read again', () => server.requests.length > asked + 1);
    assert.deepEqual(top(), [0.25, 0.3, null]);
  });

  it('fails as silent when books move and the socket does not say so', async () => {
    server.answer(() => [wireBookOf(T0, `0.2${server.requests.length}`, '0.9', { timestamp: '' })]);
    await open({ ...FAST, booksPeriodMs: 20 });
    await eventually('it fails', () => run?.error() !== undefined);
    const error = run?.error();
    assert.ok(error instanceof SourceError && error.code === 'SOURCE_SILENT');
  });

  it('fails as silent when nothing but PONG comes', async () => {
    await open({ ...FAST, pricesSilentMs: 60 });
    const pong = setInterval(() => say('PONG'), 10);
    await eventually('it fails', () => run?.error() !== undefined).finally(() => clearInterval(pong));
    const error = run?.error();
    assert.ok(error instanceof SourceError && error.code === 'SOURCE_SILENT');
    await eventually('the connection is gone', () => server.sockets.size === 0);
  });

  it('goes on without books that cannot be read while frames come', async () => {
    server.answer((_, response) => {
      response.statusCode = server.requests.length === 1 ? 200 : 500;
      return [];
    });
    await open({ ...FAST, booksPeriodMs: 30 });
    const talk = setInterval(() => say(book(T0, '0.48', '0.52')), 2);
    await eventually('several are missed', () => server.requests.length > 3).finally(() =>
      clearInterval(talk),
    );
    assert.equal(run?.error(), undefined);
  });

  it('fails when the connection is closed or refused', async () => {
    await open();
    for (const socket of sockets) socket.close(1001);
    await eventually('it fails', () => run?.error() !== undefined);
    assert.ok(run?.error() instanceof SourceError);
    await server.close();
    start();
    await eventually('it fails', () => run?.error() !== undefined);
    assert.ok(run?.error() instanceof SourceError);
    server = await openScriptedServer();
  });

  it('ends a connection that is still being made when it is stopped', async () => {
    start();
    run?.stop();
    await eventually('nothing is left', () => server.connections() <= 1 && server.sockets.size === 0);
    assert.equal(run?.error(), undefined);
  });
});
