import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { StartError } from '../../src/errors.ts';
import { checkPort, createHttpServer, HTTP_LIMITS, urlOf } from '../../src/server/http.ts';
import type { Operations } from '../../src/server/operations.ts';
import { HOUR_MS } from '../../streams/internal.ts';
import { type Running, start } from './start.ts';

/** Sends raw bytes; resolves with everything received once the other side has closed. */
function exchange(running: Running, bytes: string): { socket: Socket; received: Promise<string> } {
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
  const received = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
  socket.write(bytes);
  return { socket, received };
}

describe('createHttpServer', () => {
  let running: Running;
  beforeEach(async () => {
    running = await start();
  });
  afterEach(() => running.stop());

  it('sets the limits it is given', () => {
    const { server } = running.http;
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxHeadersCount],
      [10_000, 15_000, 5_000, 65],
    );
    assert.deepEqual([server.maxRequestsPerSocket, server.maxConnections], [1_000, 15_000]);
  });

  const malformed: readonly (readonly [string, string, number, string])[] = [
    ['not HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'request_malformed',
    ],
    [
      'a header of 13 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(13_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ];
  for (const [what, bytes, status, code] of malformed) {
    it(`answers ${what} with ${status} in its own form and closes`, async () => {
      const text = await exchange(running, bytes).received;
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(text, /\r\nConnection: close\r\n/);
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      assert.equal(JSON.parse(body).code, code);
      assert.match(text, new RegExp(`\r\nContent-Length: ${body.length}\r\n`));
    });
  }

  it('closes the connection of a malformed request whose sender keeps its side open', async () => {
    const { port } = new URL(running.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write('hello\r\n\r\n');
    socket.resume();
    await once(socket, 'end');
    const open = () =>
      new Promise<number>((resolve, reject) => {
        running.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    while ((await open()) > 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  });

  it('answers a request that does not end with 408 and closes', async () => {
    const limits = { ...HTTP_LIMITS, headersTimeoutMs: 50, requestTimeoutMs: 50, checkEveryMs: 10 };
    const http = createHttpServer(running.app, limits);
    const url = await http.listen(0, '127.0.0.1');
    const text = await exchange({ ...running, url }, 'GET / HTTP/1.1\r\nHo').received;
    assert.match(text, /^HTTP\/1.1 408 /);
    assert.equal(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).code, 'request_timeout');
    http.server.close();
  });

  it('answers a request for an upgrade that nobody takes after those before it', async () => {
    const feed = {
      handle: () => false,
      upgrade: () => false,
      beginDrain: () => undefined,
      close: async () => undefined,
    };
    const served = await start({ feed: () => feed });
    try {
      const upgrade = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
      const ready = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n';
      const slow = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
      for (const before of [[], [ready], [slow], [ready, ready, slow, ready]]) {
        const text = await exchange(served, [...before, upgrade].join('')).received;
        const expected = before.map((each) => (each === slow ? '404' : '503'));
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
        assert.deepEqual(statuses, [...expected, '200']);
      }
    } finally {
      await served.stop();
    }
  });

  it('names the port that is taken', async () => {
    const { port } = new URL(running.url);
    await assert.rejects(
      () => createHttpServer(running.app).listen(Number(port), '127.0.0.1'),
      (error) =>
        error instanceof StartError &&
        error.code === 'START_PORT_TAKEN' &&
        error.message === `port ${port} on 127.0.0.1 is taken by another program`,
    );
  });

  it('names the host that is not ours', async () => {
    await assert.rejects(
      () => createHttpServer(running.app).listen(0, '192.0.2.1'),
      (error) =>
        error instanceof StartError && error.code === 'START_HOST' && /192\.0\.2\.1/.test(error.message),
    );
  });
});

describe('checkPort', () => {
  it('refuses a port that is taken and leaves a free one free', async () => {
    const running = await start();
    const port = Number(new URL(running.url).port);
    await assert.rejects(
      () => checkPort(port, '127.0.0.1'),
      (error) => error instanceof StartError && error.code === 'START_PORT_TAKEN',
    );
    await running.stop();
    await checkPort(port, '127.0.0.1');
    await checkPort(port, '127.0.0.1');
  });
});

describe('urlOf', () => {
  it('puts an IPv6 host in brackets', () => {
    assert.equal(urlOf({ family: 'IPv6', address: '::1', port: 80 }), 'http://[::1]:80');
    assert.equal(urlOf({ family: 'IPv4', address: '127.0.0.1', port: 80 }), 'http://127.0.0.1:80');
  });
});

describe('drain', () => {
  const GET = 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_internal\r\n\r\n';

  /** A server whose metrics are ready when it is told so. */
  async function withSlowMetrics() {
    let finish = (_text: string) => {};
    let arrived = () => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const text = () =>
      new Promise<string>((resolve) => {
        finish = resolve;
        arrived();
      });
    const operations: Operations = {
      health: () => ({ status: 'ok', history_percent: {}, stale: [], refusing: [] }),
      isReady: () => true,
      isLive: () => true,
      metrics: async () => ({ contentType: 'text/plain', text: await text() }),
      requestServed: () => undefined,
    };
    const running = await start({ deps: { operations } });
    return { running, waiting, finish: () => finish('done') };
  }

  it('answers what is under way, closes its connection, and lets idle ones go', async () => {
    const { running, waiting, finish } = await withSlowMetrics();
    const idle = exchange(running, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => idle.socket.once('data', resolve));
    const slow = exchange(running, GET);
    await waiting;

    const drained = running.http.drain({ noticeMs: 0, deadlineMs: 60_000 });
    await idle.received;
    finish();
    const text = await slow.received;
    await drained;

    assert.match(text, /^HTTP\/1.1 200 /);
    assert.match(text, /\r\nConnection: close\r\n/);
    assert.match(text, /done$/);
    await assert.rejects(() => fetch(`${running.url}/livez`));
  });

  it('closes connections after their answer while it still accepts new ones', async () => {
    const { running } = await withSlowMetrics();
    void running.http.drain({ noticeMs: HOUR_MS, deadlineMs: 0 });
    for (const path of ['/api/v1/health', '/readyz']) {
      const response = await running.get(path);
      assert.deepEqual([response.status, response.headers.get('connection')], [503, 'close']);
    }
    const meta = await running.get('/api/v1/meta/account_a');
    assert.deepEqual([meta.status, meta.headers.get('connection')], [200, 'close']);
    running.http.server.close();
    running.app.close();
  });

  it('cuts off what is not done by the deadline', async () => {
    const { running, waiting } = await withSlowMetrics();
    const slow = exchange(running, GET);
    await waiting;
    await running.http.drain({ noticeMs: 0, deadlineMs: 20 });
    assert.equal(await slow.received, '');
  });

  it('is done once, however often it is called', async () => {
    const running = await start();
    const times = { noticeMs: 0, deadlineMs: 0 };
    assert.equal(running.http.drain(times), running.http.drain(times));
    await running.stop();
  });
});
