import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { createHttpServer, HTTP_LIMITS, type HttpServer } from '../../src/server/http.ts';
import { eventually } from '../support/eventually.ts';
import { timeline } from '../support/outputs.ts';
import { GOOD_CLIENTS, sweepSlowLoris } from '../sweeps/hostile.ts';
import { OVERSIZE } from '../sweeps/oversize.ts';
import { exchangeRaw, pouring, statusesIn } from '../sweeps/raw-http.ts';
import { SMUGGLED } from '../sweeps/smuggling.ts';
import { type Running, start } from './start.ts';

const UNREAD = ['/api/v1/openapi.json', '/', '/nowhere', '/api/v1/performance/history', '/docs'];
const TIMEOUTS = { headersTimeoutMs: 400, requestTimeoutMs: 600, checkEveryMs: 50 };

describe('a server among hostile callers', () => {
  let running: Running;
  let http: HttpServer;
  let port: number;
  const open = async (limits: Partial<typeof HTTP_LIMITS>) => {
    http = createHttpServer(running.app, { ...HTTP_LIMITS, ...limits });
    port = Number(new URL(await http.listen(0, '127.0.0.1')).port);
  };
  const close = () =>
    new Promise<void>((resolve) => {
      http.server.close(() => resolve());
      http.server.closeAllConnections();
    });
  before(async () => {
    running = await start({ loaded: timeline(2) });
  });
  after(() => running.stop());
  afterEach(() => close());

  for (const { what, bytes, statuses } of SMUGGLED) {
    it(`takes ${what} for no more than one request`, async () => {
      await open({ keepAliveTimeoutMs: 100 });
      const { text } = await exchangeRaw({ port, bytes });
      assert.deepEqual(statusesIn(text), statuses);
    });
  }

  for (const { what, head, more, statuses } of OVERSIZE) {
    it(`answers ${what} with ${statuses.join()} and closes`, async () => {
      await open({});
      const { text } = await exchangeRaw({ port, bytes: head, drip: pouring(more) });
      // Whoever is still sending when the answer comes may lose it with the connection.
      if (text !== '') assert.deepEqual(statusesIn(text), statuses);
    });
  }

  it('lets slow callers go while good ones are served', async () => {
    await open({ ...TIMEOUTS, maxConnectionsPerAddress: 1_000 });
    const { goodCalls } = await sweepSlowLoris({ port }, 60);
    assert.ok(goodCalls >= GOOD_CLIENTS);
  });

  it('holds no more than it may for callers who ask without reading, and serves the others', async () => {
    const maxUnsentBytes = 200_000;
    await open({ maxUnsentBytes, writeTimeoutMs: 100, maxConnectionsPerAddress: 1_000 });
    const count = () =>
      new Promise<number>((resolve, reject) => {
        http.server.getConnections((error, held) => (error ? reject(error) : resolve(held)));
      });
    const held = Array.from({ length: 40 }, (_, n) => {
      const path = UNREAD[n % UNREAD.length] ?? '/';
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.pause().on('error', () => undefined);
      socket.write(request.repeat(Math.floor(45_000 / request.length)));
      return socket;
    });
    let most = 0;
    await eventually('all are connected and let go', async () => {
      most = Math.max(most, http.unsent().unsentBytes);
      const good = await exchangeRaw({
        port,
        bytes: 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      });
      assert.deepEqual(statusesIn(good.text), [200]);
      return held.every(({ bytesWritten }) => bytesWritten > 0) && (await count()) === 0;
    });
    // One request of each connection is made whatever else waits.
    assert.ok(most <= maxUnsentBytes + held.length * (4_096 + 65_536), `${most} bytes`);
    assert.equal(http.unsent().unsentBytes, 0);
    for (const socket of held) socket.destroy();
  });

  it('refuses more connections from one address than it may hold, and takes the next when one is gone', async () => {
    await open({ maxConnectionsPerAddress: 3 });
    const opened: { readonly stop: () => void }[] = [];
    const hold = () => {
      const held = exchangeRaw({
        port,
        bytes: 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
        drip(socket) {
          opened.push({ stop: () => socket.destroy() });
          return () => undefined;
        },
      });
      return held;
    };
    const count = () =>
      new Promise<number>((resolve, reject) => {
        http.server.getConnections((error, open) => (error ? reject(error) : resolve(open)));
      });
    const holding = [hold(), hold(), hold()];
    while ((await count()) < 3) await new Promise((resolve) => setImmediate(resolve));
    const refused = await exchangeRaw({ port, bytes: 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n' });
    if (refused.text !== '') {
      assert.deepEqual(statusesIn(refused.text), [503]);
      assert.match(refused.text, /\r\nRetry-After: 5\r\n/);
      assert.match(refused.text, /"code":"too_many_connections"/);
    }
    for (const { stop } of opened) stop();
    await Promise.all(holding);
    while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
    const next = await exchangeRaw({
      port,
      bytes: 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    });
    assert.deepEqual(statusesIn(next.text), [200]);
  });
});
