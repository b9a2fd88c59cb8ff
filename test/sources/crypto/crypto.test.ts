import assert from 'node:assert/strict';
import type { WebSocket } from 'ws';
import { SourceError } from '../../../src/errors.ts';
import { cryptoSource } from '../../../src/sources/crypto/crypto.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

const AT = 1_775_743_200_000;

describe('cryptoSource', () => {
  let run: SourceRun | undefined;
  let path = '';
  const sockets: WebSocket[] = [];
  const stage = sourceStage((server) => {
    sockets.length = 0;
    server.onSocket((socket, url) => {
      path = url;
      sockets.push(socket);
    });
    server.answer(() => ({ symbol: 'BTCUSDT', price: '60000.50000000' }));
  });

  async function open(settings = FAST): Promise<SourceRun> {
    run = stage.run(cryptoSource(localEndpoints(stage.server), settings), fakeLookups(), () => AT);
    await eventually('it connects', () => sockets.length > 0);
    return run;
  }

  const send = (frame: unknown) =>
    sockets[0]?.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const ticker = (price: unknown, extra = {}) => ({
    stream: 'btcusdt@miniTicker',
    data: {
      e: '24hrMiniTicker',
      E: AT,
      s: 'BTCUSDT',
      c: price,
      o: '1',
      h: '1',
      l: '1',
      v: '1',
      q: '1',
      ...extra,
    },
  });
  const prices = () =>
    (run?.facts() ?? []).flatMap((fact) =>
      fact.kind === 'spot' ? fact.ticks.map(({ price }) => price) : [],
    );

  it('delivers the newest price of each symbol when it has changed', async () => {
    const { deliveries } = await open();
    assert.equal(path, '/stream?streams=btcusdt@miniTicker');
    send(ticker('61035.86'));
    await eventually('a price', () => prices().length === 1);
    assert.deepEqual(run?.facts()[0], { kind: 'spot', ticks: [{ symbol: 'BTC', price: 61035.86, at: AT }] });
    const before = deliveries.length;
    send(ticker('61035.86'));
    await eventually('an empty list is delivered', () => deliveries.length > before);
    send(ticker('61036'));
    await eventually('another price', () => prices().length === 2);
    assert.deepEqual(prices(), [61035.86, 61036]);
  });

  it('delivers one price per period of a burst', async () => {
    await open({ ...FAST, spotPeriodMs: 150 });
    for (let price = 1; price <= 200; price++) send(ticker(String(price)));
    await eventually('the newest price', () => prices().at(-1) === 200);
    assert.ok(prices().length <= 2, `${prices().length} prices`);
  });

  it('passes over replies and strangers, and counts bad frames without stopping', async () => {
    const { refusals, error } = await open();
    send({ result: null, id: 1 });
    send(ticker('5', { s: 'OTHERUSDT' }));
    const bad = [
      '{"stream":',
      ticker('NaN'),
      ticker(61035.86),
      ticker('0'),
      ticker('-1'),
      ticker('1', { E: 'x' }),
      { code: 2, msg: 'x' },
    ];
    for (const frame of bad) send(frame);
    send(ticker('7'));
    await eventually('the good one', () => prices().length === 1);
    assert.deepEqual([prices(), refusals.length, error()], [[7], bad.length, undefined]);
  });

  it('asks for the price once when the stream breaks off, then fails', async () => {
    const { error } = await open();
    sockets[0]?.terminate();
    await eventually('it fails', () => error() !== undefined);
    assert.deepEqual(prices(), [60000.5]);
    assert.equal(stage.server.requests[0]?.query.get('symbol'), 'BTCUSDT');
    assert.ok(error() instanceof SourceError);
  });

  it('asks for the other prices when one cannot be read', async () => {
    const endpoints = localEndpoints(stage.server);
    const symbols = ['ETH', 'BTC', 'SOL'].map((symbol) => ({
      symbol,
      pair: `${symbol}USDT`,
      slugNames: [symbol],
    }));
    stage.server.answer(({ query }) => ({
      symbol: query.get('symbol'),
      price: query.get('symbol') === 'ETHUSDT' ? '-1' : '5',
    }));
    const source = cryptoSource({ ...endpoints, crypto: { ...endpoints.crypto, symbols } }, FAST);
    run = stage.run(source, fakeLookups(), () => AT);
    await eventually('it connects', () => sockets.length > 0);
    sockets[0]?.terminate();
    await eventually('it fails', () => run?.error() !== undefined);
    assert.deepEqual(
      run.facts().flatMap((fact) => (fact.kind === 'spot' ? fact.ticks : [])),
      ['BTC', 'SOL'].map((symbol) => ({ symbol, price: 5, at: AT })),
    );
    assert.equal(run.refusals.length, 1);
  });

  it('fails as silent on an open stream without data', async () => {
    const { error } = await open({ ...FAST, spotSilentMs: 60 });
    await eventually('it fails', () => error() !== undefined);
    const cause = error();
    assert.ok(cause instanceof SourceError && cause.code === 'SOURCE_SILENT');
    await eventually('the connection is gone', () => stage.server.sockets.size === 0);
  });
});
