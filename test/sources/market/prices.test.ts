import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { SourceError } from '../../../src/errors.ts';
import { pricesSource } from '../../../src/sources/market/prices.ts';
import type { Quote } from '../../../streams/internal.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { wireBookOf, yesToken } from '../../support/payloads.ts';
import { ANSWERED } from '../../support/scripted-server.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

const T0 = yesToken(0);

describe('pricesSource', () => {
  let run: SourceRun | undefined;
  const sockets: WebSocket[] = [];
  const stage = sourceStage((server) => {
    sockets.length = 0;
    server.onSocket((socket) => sockets.push(socket));
    server.answer(() => []);
  });

  function start(settings = FAST, lookups = fakeLookups()): SourceRun {
    if (lookups.records.size === 0) lookups.records.set(1, activeEvent(1));
    run = stage.run(pricesSource(localEndpoints(stage.server), settings), lookups);
    return run;
  }

  const send = (message: unknown) => {
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
    await eventually('it subscribes', () => stage.server.received.length > 0);
  }

  async function opened(): Promise<SourceRun> {
    await open();
    assert.ok(run);
    return run;
  }

  it('subscribes to the Yes tokens and keeps sending PING', async () => {
    await open();
    assert.deepEqual(JSON.parse(stage.server.received[0] ?? ''), {
      type: 'market',
      assets_ids: [0, 1, 2].map(yesToken),
      custom_feature_enabled: true,
    });
    await eventually('pings', () => stage.server.received.filter((text) => text === 'PING').length > 2);
  });

  it('follows books, changes, tops and trades', async () => {
    await open();
    send([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    send(change('0.5', '200', 'BUY'));
    await topIs(0.5, 0.52);
    send(change('0.5', '0', 'BUY'));
    await topIs(0.48, 0.52);
    send(change('0.51', '5', 'SELL'));
    await topIs(0.48, 0.51);
    send({
      event_type: 'last_trade_price',
      asset_id: T0,
      price: '0.51',
      size: '25',
      side: 'BUY',
      timestamp: '1',
    });
    await topIs(0.48, 0.51, 0.51);
    send({
      event_type: 'best_bid_ask',
      asset_id: T0,
      best_bid: '0.49',
      best_ask: '',
      spread: '',
      timestamp: '1',
    });
    await topIs(0.49, null, 0.51);
    send(book(T0, '0.3', '0.4', { last_trade_price: '0.35' }));
    await topIs(0.3, 0.4, 0.35);
    assert.ok(run?.facts().every((fact) => fact.kind === 'prices' && fact.eventId === 1));
  });

  it('prefers the best prices of a message to its own book, and reads 0 and 1 as an empty side', async () => {
    await open();
    send([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    send(change('0.4', '10', 'BUY', { best_bid: '0.47', best_ask: '0.53' }));
    await topIs(0.47, 0.53);
    send(change('0.4', '0', 'BUY', { best_bid: '0', best_ask: '1' }));
    await topIs(null, null);
  });

  it('gives the shares at the best prices, and none where its book lacks the level', async () => {
    await open();
    const sizes = () => {
      const quote = quotes().at(-1);
      return [quote?.bid, quote?.bidSize, quote?.ask, quote?.askSize];
    };
    const sizesAre = (...expected: (number | null)[]) =>
      eventually(
        `sizes ${expected}, not ${sizes()}`,
        () => JSON.stringify(sizes()) === JSON.stringify(expected),
      );
    const whole = { bids: [{ price: '0.48', size: '100' }], asks: [{ price: '0.52', size: '40' }] };
    send(book(T0, '0.48', '0.52', whole));
    await sizesAre(0.48, 100, 0.52, 40);
    send(change('0.5', '200', 'BUY'));
    await sizesAre(0.5, 200, 0.52, 40);
    send(change('0.4', '10', 'BUY', { best_bid: '0.47', best_ask: '0.52' }));
    await sizesAre(0.47, null, 0.52, 40);
  });

  it('delivers a change of size alone only from a quarter on', async () => {
    await open();
    send(book(T0, '0.48', '0.52', { bids: [{ price: '0.48', size: '100' }], asks: [] }));
    await eventually('it is delivered', () => quotes().length === 1);
    for (const size of ['124.9', '75.1', '100']) send(change('0.48', size, 'BUY'));
    send(book(yesToken(1), '0.2', '0.3'));
    await eventually('the other token is delivered', () => quotes(yesToken(1)).length > 0);
    assert.equal(quotes().length, 1);
    send(change('0.48', '75', 'BUY'));
    await eventually('the size is delivered', () => quotes().at(-1)?.bidSize === 75);
    assert.equal(quotes().length, 2);
  });

  it('does nothing with a change before the first whole book', async () => {
    await open();
    send(change('0.5', '200', 'BUY', { best_bid: '0.5', best_ask: '0.6' }));
    send(book(yesToken(1), '0.2', '0.3'));
    await eventually('the other token is delivered', () => quotes(yesToken(1)).length > 0);
    assert.deepEqual(quotes(), []);
  });

  it('does not deliver a quote that has not changed, but delivers an empty list', async () => {
    await open();
    send(book(T0, '0.48', '0.52'));
    await topIs(0.48, 0.52);
    const before = run?.deliveries.length ?? 0;
    for (let turn = 0; turn < 20; turn++) send(book(T0, '0.48', '0.52'));
    await eventually('an empty list is delivered', () => (run?.deliveries.length ?? 0) > before);
    assert.equal(quotes().length, 1);
  });

  it('delivers an empty list after each good snapshot while the socket is quiet', async () => {
    stage.server.answer(() => [wireBookOf(T0, '0.48', '0.52')]);
    await open({ ...FAST, booksPeriodMs: 40 });
    await topIs(0.48, 0.52);
    const before = run?.deliveries.length ?? 0;
    await eventually('an empty list is delivered thrice', () => (run?.deliveries.length ?? 0) > before + 2);
    assert.deepEqual(run?.deliveries.slice(before).flat(), []);
  });

  it('delivers only the newest of a burst, however long a delivery takes', async () => {
    const lookups = fakeLookups();
    lookups.records.set(1, activeEvent(1));
    const delivered: number[] = [];
    let release = () => {};
    const subscription = pricesSource(localEndpoints(stage.server), FAST)
      .run({
        now: Date.now,
        mono: () => performance.now(),
        lookups,
        follow: () => {},
        refused: () => {},
        used: () => {},
        deliver: async (facts) => {
          for (const fact of facts) if (fact.kind === 'prices') delivered.push(fact.quotes[0]?.bid ?? -1);
          if (delivered.length > 0)
            await new Promise<void>((resolve) => {
              release = resolve;
            });
        },
      })
      .subscribe({ error: assert.fail });
    await eventually('it subscribes', () => stage.server.received.length > 0);
    send(book(T0, '0.1', '0.9'));
    await eventually('the first is delivered', () => delivered.length === 1);
    for (let bid = 1; bid <= 500; bid++) send(book(T0, (0.1 + bid / 10_000).toFixed(4), '0.9'));
    send('PONG');
    await new Promise((resolve) => sockets[0]?.ping(resolve));
    await eventually('the burst is over', () => sockets[0]?.bufferedAmount === 0);
    await new Promise((resolve) => sockets[0]?.once('pong', resolve).ping());
    release();
    await eventually('the last is delivered', () => delivered.at(-1) === 0.15);
    assert.equal(delivered.length, 2);
    release();
    subscription.unsubscribe();
  });

  it('passes over words, and counts a bad frame without stopping', async () => {
    await open();
    for (const word of ['PONG', 'NO NEW ASSETS', '']) send(word);
    const bad = [
      '{"event_type":"book"',
      '[{"event_type":"book","asset_id":1}]',
      { event_type: 'book', ...wireBookOf(T0, '1.7', '0.5') },
      { event_type: 'book', ...wireBookOf(T0, 'NaN', '0.5') },
      [{ event_type: 'last_trade_price', asset_id: T0, price: '-0.1' }],
      { no: 'type' },
    ];
    for (const frame of bad) send(frame);
    for (const socket of sockets) socket.send(Buffer.from([1, 2, 3]));
    send({ event_type: 'new_market', id: 1, anything: true });
    send(book(T0, '0.48', '0.52'));
    await topIs(0.48, 0.52);
    assert.equal(run?.refusals.length, bad.length + 1);
    assert.equal(quotes().length, 1);
    assert.equal(run?.error(), undefined);
  });

  it('applies the good messages of a frame, and counts each fault of the others once', async () => {
    const { refusals } = await opened();
    const odd = { event_type: 'last_trade_price', asset_id: T0, price: '1.0000001' };
    send([
      odd,
      7,
      book(T0, '0.48', '0.52'),
      odd,
      book(yesToken(1), '2', '0.9'),
      book(yesToken(2), '0.1', '0.2'),
    ]);
    await topIs(0.48, 0.52);
    await eventually('the last one', () => quotes(yesToken(2)).length === 1);
    assert.deepEqual(quotes(yesToken(1)), []);
    assert.equal(refusals.length, 3, refusals.join());
    for (const [index, part] of ['', 'price', 'bids.1.price'].entries()) {
      assert.match(refusals[index] ?? '', new RegExp(`^a frame of the books: ${part}`));
    }
  });

  it('applies the good changes of a message', async () => {
    const { refusals } = await opened();
    send([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    const [good] = change('0.5', '9', 'BUY').price_changes;
    send({
      ...change('0.5', '9', 'BUY'),
      price_changes: [null, { ...good, side: 'HOLD' }, good, { ...good, price: '7' }],
    });
    await topIs(0.5, 0.52);
    assert.equal(refusals.length, 3);
    assert.equal(run?.error(), undefined);
  });

  it('keeps to its own book when the best prices beside a change cannot be read', async () => {
    const { refusals } = await opened();
    send([book(T0, '0.48', '0.52')]);
    await topIs(0.48, 0.52);
    send(change('0.5', '9', 'BUY', { best_bid: '1.0000001', best_ask: -1 }));
    await topIs(0.5, 0.52);
    assert.deepEqual(refusals, []);
  });

  it('leaves out an ask above 1, which cannot be the best, and a last price that cannot be read', async () => {
    const { refusals } = await opened();
    const { asks } = wireBookOf(T0, '0.48', '0.52');
    send(
      book(T0, '0.48', '0.52', {
        asks: [{ price: '1.0000001', size: '5' }, ...asks],
        last_trade_price: '-1',
      }),
    );
    await topIs(0.48, 0.52);
    assert.deepEqual(refusals, []);
  });

  for (const [name, side] of [
    [
      'bids',
      {
        bids: [
          { price: '0.4', size: '5' },
          { price: '1.2', size: '5' },
        ],
      },
    ],
    [
      'bids',
      {
        bids: [
          { price: '0.4', size: '5' },
          { price: 'x', size: '5' },
        ],
      },
    ],
    [
      'asks',
      {
        asks: [
          { price: '0.6', size: '5' },
          { price: 'x', size: '5' },
        ],
      },
    ],
    [
      'asks',
      {
        asks: [
          { price: '0.6', size: '5' },
          { price: '0.5', size: '' },
        ],
      },
    ],
  ] as const) {
    it(`refuses a book alone whose best of ${JSON.stringify(side)} is unknown, rather than show another`, async () => {
      const { refusals } = await opened();
      send([book(T0, '0.48', '0.52'), book(yesToken(1), '0.1', '0.2')]);
      await topIs(0.48, 0.52);
      send([book(T0, '0.48', '0.52', side), book(yesToken(1), '0.11', '0.2')]);
      await eventually('the other book', () => quotes(yesToken(1)).at(-1)?.bid === 0.11);
      assert.deepEqual(top(), [0.48, 0.52, null]);
      assert.equal(refusals.length, 1);
      assert.ok(refusals[0]?.includes(`${name}.1`), refusals[0]);
    });
  }

  it('corrects the other books of a snapshot when one cannot be read, and tells that one', async () => {
    stage.server.answer(() => [
      wireBookOf(T0, '1.7', '0.5'),
      null,
      wireBookOf(yesToken(1), '0.2', '0.3'),
      wireBookOf(yesToken(2), '0.6', '0.7'),
    ]);
    const { refusals } = await opened();
    await eventually('both come', () => [1, 2].every((index) => quotes(yesToken(index)).length === 1));
    assert.deepEqual(quotes(), []);
    assert.equal(refusals.length, 2);
    assert.match(refusals[0] ?? '', /^\/books sent bids\.1\.price: /);
    assert.equal(run?.error(), undefined);
  });

  it('fails when no book of a snapshot can be read and no frame comes', async () => {
    stage.server.answer(() => [wireBookOf(T0, '1.7', '0.5'), wireBookOf(T0, 'x', '0.5')]);
    start();
    await eventually('it fails', () => run?.error() !== undefined);
    const error = run?.error();
    assert.ok(error instanceof SourceError && error.code === 'SOURCE_REFUSED');
    assert.equal(run?.refusals.length, 1);
  });

  it('subscribes to events as they open, drops them as they close, and rests without any', async () => {
    await open();
    run?.lookups.records.set(2, activeEvent(2, 2, 3));
    await eventually('it adds', () => stage.server.received.some((text) => text.includes('"subscribe"')));
    run?.lookups.records.delete(1);
    await eventually('it drops', () => stage.server.received.some((text) => text.includes('"unsubscribe"')));
    const added = stage.server.received.find((text) => text.includes('"subscribe"')) ?? '';
    assert.deepEqual(JSON.parse(added).assets_ids, [yesToken(3), yesToken(4)]);
    run?.lookups.records.clear();
    await eventually('it disconnects', () => stage.server.sockets.size === 0);
    run?.lookups.records.set(1, activeEvent(1));
    await eventually('it connects again', () => stage.server.sockets.size === 1);
    assert.equal(run?.error(), undefined);
  });

  it('delivers what many events bring in several parts, each as alive as the others', async () => {
    const lookups = fakeLookups();
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    const tokenOf = (id: number) => `${id}`.padStart(9, '7');
    for (const id of ids) {
      const event = activeEvent(id, 1);
      const buckets = event.buckets.map((bucket) => ({ ...bucket, yesToken: tokenOf(id) }));
      lookups.records.set(id, { ...event, buckets });
    }
    const { deliveries, answeredAt } = start(FAST, lookups);
    await eventually('it subscribes', () => stage.server.received.length > 0);
    const tell = (bid: string) => send(ids.map((id) => book(tokenOf(id), bid, '0.9')));
    tell('0.4');
    await eventually('all have come', () => deliveries.flat().length === 60);
    for (const facts of deliveries) assert.ok(facts.length <= 20, `${facts.length} come at once`);
    const first = new Map(answeredAt);
    tell('0.4');
    await eventually('all are heard of again, though nothing has changed', () =>
      ids.every((id) => (answeredAt.get(tokenOf(id)) ?? 0) > (first.get(tokenOf(id)) ?? 0)),
    );
    assert.equal(deliveries.flat().length, 60);
  });

  it('opens a second connection past 400 tokens', async () => {
    const lookups = fakeLookups();
    lookups.records.set(1, activeEvent(1, 401));
    start(FAST, lookups);
    await eventually(
      'both subscribe',
      () => stage.server.received.filter((text) => text.includes('"market"')).length === 2,
    );
    const sizes = stage.server.received.flatMap((text) =>
      text.startsWith('{') ? [JSON.parse(text).assets_ids.length] : [],
    );
    assert.deepEqual(sizes.sort(), [1, 400]);
  });

  describe('with several connections', () => {
    /** Those that were subscribed to 400 tokens, T0 among them. */
    const large: WebSocket[] = [];

    async function openBoth(): Promise<SourceRun> {
      large.length = 0;
      stage.server.onSocket((socket) => {
        sockets.push(socket);
        socket.on('message', (data) => {
          const text = data.toString();
          if (text.includes('"market"') && JSON.parse(text).assets_ids.length === 400) large.push(socket);
        });
      });
      const lookups = fakeLookups();
      lookups.records.set(1, activeEvent(1, 401));
      const started = start(FAST, lookups);
      await eventually('both are open', () => sockets.length === 2 && large.length === 1);
      return started;
    }

    it('makes one again by itself, and waits for its new books', async () => {
      const { error } = await openBoth();
      send([book(T0, '0.48', '0.52')]);
      await topIs(0.48, 0.52);
      large[0]?.close();
      await eventually('it subscribes again', () => large.length === 2);
      send(change('0.5', '200', 'BUY'));
      send([book(T0, '0.4', '0.6')]);
      await topIs(0.4, 0.6);
      assert.deepEqual(
        quotes().map(({ bid }) => bid),
        [0.48, 0.4],
      );
      assert.equal(sockets.length, 3);
      assert.equal(error(), undefined);
    });

    it('fails when one is lost again and again, though each time something came', async () => {
      const { error } = await openBoth();
      stage.server.onSocket((socket) => {
        socket.on('message', () => {
          socket.send(JSON.stringify([book(T0, '0.48', '0.52')]));
          socket.close();
        });
      });
      large[0]?.close();
      await eventually('it fails', () => error() instanceof SourceError);
    });

    it('fails when one cannot be made any more', async () => {
      const { error } = await openBoth();
      stage.server.onSocket((socket) => socket.terminate());
      large[0]?.terminate();
      await eventually('it fails', () => error() instanceof SourceError);
    });
  });

  it('reads whole books at the start and now and then, and leaves outdated ones aside', async () => {
    stage.server.answer(({ body }) =>
      JSON.parse(body).map((asked: { token_id: string }) => wireBookOf(asked.token_id, '0.2', '0.3')),
    );
    await open({ ...FAST, booksPeriodMs: 60 });
    await topIs(0.2, 0.3);
    assert.deepEqual(stage.server.requests[0]?.method, 'POST');
    send(book(T0, '0.25', '0.3', { timestamp: '1757908899999' }));
    await topIs(0.25, 0.3);
    const asked = stage.server.requests.length;
    await eventually('books are read again', () => stage.server.requests.length > asked + 1);
    assert.deepEqual(top(), [0.25, 0.3, null]);
  });

  it('fails as silent when books move and the socket sends nothing', async () => {
    stage.server.answer(() => [
      wireBookOf(T0, `0.2${stage.server.requests.length}`, '0.9', { timestamp: '' }),
    ]);
    await open({ ...FAST, booksPeriodMs: 20 });
    await eventually('it fails', () => run?.error() !== undefined);
    const error = run?.error();
    assert.ok(error instanceof SourceError && error.code === 'SOURCE_SILENT');
  });

  it('fails as silent when nothing but PONG comes', async () => {
    await open({ ...FAST, pricesSilentMs: 60 });
    const pong = setInterval(() => send('PONG'), 10);
    await eventually('it fails', () => run?.error() !== undefined).finally(() => clearInterval(pong));
    const error = run?.error();
    assert.ok(error instanceof SourceError && error.code === 'SOURCE_SILENT');
    await eventually('the connection is gone', () => stage.server.sockets.size === 0);
  });

  it('is corrected by snapshots though a message said that it was sent in 2099', async () => {
    const future = String(Date.UTC(2099, 0));
    await open({ ...FAST, booksPeriodMs: 40 });
    send([book(T0, '0.48', '0.52', { timestamp: future })]);
    await topIs(0.48, 0.52);
    stage.server.answer(() => [wireBookOf(T0, '0.3', '0.4', { timestamp: String(Date.now()) })]);
    await topIs(0.3, 0.4);
    await eventually(
      'it is told',
      () => run?.refusals.some((reason) => /ahead of our clock/.test(reason)) ?? false,
    );
  });

  it('takes no book for an answer about a token, unless the log has a price out of its book', async () => {
    stage.server.answer(() => [wireBookOf(yesToken(0), '0.3', '0.4')]);
    await open({ ...FAST, booksPeriodMs: 30 });
    const token = yesToken(2);
    const answeredAgain = async () => {
      const before = run?.answeredAt.get(token) ?? 0;
      await eventually('it is answered again', () => (run?.answeredAt.get(token) ?? 0) > before);
    };
    await answeredAgain();
    await answeredAgain();
    run?.lookups.booked.add(token);
    const moreIsHeard = async () => {
      const before = run?.answeredAt.get(yesToken(0)) ?? 0;
      await eventually('more is heard', () => (run?.answeredAt.get(yesToken(0)) ?? 0) > before);
    };
    // The first of these may have been read before.
    await moreIsHeard();
    const lastAt = run?.answeredAt.get(token);
    await moreIsHeard();
    await moreIsHeard();
    assert.equal(run?.answeredAt.get(token), lastAt);
  });

  it('tells which tokens were answered, each by itself, and of which event they are at present', async () => {
    const shown = { tokens: [0, 1, 2] };
    stage.server.answer(() => shown.tokens.map((index) => wireBookOf(yesToken(index), '0.3', '0.4')));
    await open({ ...FAST, booksPeriodMs: 30 });
    const token = yesToken(2);
    await eventually('it is answered', () => run?.answeredAt.has(token) ?? false);
    assert.deepEqual(run?.followed(), ['1']);
    assert.deepEqual(
      run?.followedValues().map(({ value }) => value),
      [0, 1, 2].map(yesToken),
    );
    // A token whose book comes no more grows older, whatever the other tokens say.
    shown.tokens = [0, 1];
    const asked = stage.server.requests.length;
    await eventually('another snapshot has come', () => stage.server.requests.length > asked + 2);
    const moreIsDelivered = () => {
      const before = run?.deliveries.length ?? 0;
      return eventually('more is delivered', () => (run?.deliveries.length ?? 0) > before + 2);
    };
    // The first of these may still be of the snapshots before.
    await moreIsDelivered();
    const lastAt = run?.answeredAt.get(token);
    await moreIsDelivered();
    assert.equal(run?.answeredAt.get(token), lastAt);
    shown.tokens = [0, 1, 2];
    await eventually('it is answered again', () => (run?.answeredAt.get(token) ?? 0) > (lastAt ?? 0));
    const [event] = run?.lookups.records.values() ?? [];
    assert.ok(event);
    run?.lookups.records.set(1, { ...event, buckets: event.buckets.slice(0, 1) });
    assert.deepEqual(
      run?.followedValues().map(({ value, name }) => ({ value, name })),
      [{ value: yesToken(0), name: '1' }],
    );
  });

  it('goes on without books that cannot be read while frames come', async () => {
    const waiting: ServerResponse[] = [];
    stage.server.answer((_, response) => {
      if (stage.server.received.length === 0) return [];
      waiting.push(response);
      return ANSWERED;
    });
    await open({ ...FAST, booksPeriodMs: 5, pricesSilentMs: 60_000 });
    const asked = () => eventually('books are asked for', () => waiting.length > 0);
    for (const bid of ['0.41', '0.42', '0.43']) {
      await asked();
      send(book(T0, bid, '0.52'));
      await topIs(Number(bid), 0.52);
      waiting.shift()?.writeHead(500).end();
    }
    await asked();
    assert.equal(run?.error(), undefined);
  });

  it('fails when the connection is closed or refused', async () => {
    await open();
    for (const socket of sockets) socket.close(1001);
    await eventually('it fails', () => run?.error() !== undefined);
    assert.ok(run?.error() instanceof SourceError);
    await stage.server.close();
    start();
    await eventually('it fails', () => run?.error() !== undefined);
    assert.ok(run?.error() instanceof SourceError);
  });

  it('ends a connection that is still being made when it is stopped', async () => {
    start();
    run?.stop();
    await eventually(
      'nothing is left',
      () => stage.server.connections() <= 1 && stage.server.sockets.size === 0,
    );
    assert.equal(run?.error(), undefined);
  });
});
