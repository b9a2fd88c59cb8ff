import assert from 'node:assert/strict';
import { once } from 'node:events';
import { at, connect, openTestWorld, type TestWorld } from '../open.ts';

describe('crypto socket', () => {
  let test: TestWorld;
  before(async () => {
    test = await openTestWorld();
  });
  after(() => test.world.close());

  it('acknowledges a subscription and sends a mini ticker each second', async () => {
    const frames = await connect(test.world.addresses.cryptoSocket);
    frames.socket.send(JSON.stringify({ method: 'SUBSCRIBE', params: ['btcusdt@miniTicker'], id: 1 }));
    assert.deepEqual(JSON.parse(await frames.until((text) => text.includes('"result"'))), {
      result: null,
      id: 1,
    });
    const tick = JSON.parse(await frames.until((text) => text.includes('24hrMiniTicker')));
    assert.deepEqual([tick.s, tick.E], ['BTCUSDT', test.clock.at]);
    assert.match(tick.c, /^\d+\.\d\d$/);
    const { json } = await test.get(`${test.world.addresses.cryptoRest}/api/v3/ticker/price?symbol=BTCUSDT`);
    assert.equal(Number(tick.c), Number(at(json, 'price')));
    frames.socket.terminate();
  });

  it('takes streams from the path, raw or wrapped', async () => {
    const raw = await connect(`${test.world.addresses.cryptoSocket}/ethusdt@trade`);
    const base = test.world.addresses.cryptoSocket.replace(/\/ws$/, '/stream');
    const wrapped = await connect(`${base}?streams=btcusdt@miniTicker/ethusdt@bookTicker`);
    assert.equal(JSON.parse(await raw.until((text) => text.includes('"trade"'))).s, 'ETHUSDT');
    const frame = JSON.parse(await wrapped.until((text) => text.includes('ethusdt@bookTicker')));
    assert.equal(frame.data.s, 'ETHUSDT');
    raw.socket.terminate();
    wrapped.socket.terminate();
  });

  it('names an invalid request', async () => {
    const frames = await connect(test.world.addresses.cryptoSocket);
    frames.socket.send('nonsense');
    assert.equal(JSON.parse(await frames.until(() => true)).code, 2);
    frames.socket.terminate();
  });

  it('drops its connections on request', async () => {
    const frames = await connect(test.world.addresses.cryptoSocket);
    test.world.control.dropSocket({ socket: 'crypto' });
    await once(frames.socket, 'close');
  });
});
