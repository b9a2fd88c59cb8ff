import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { urlOf } from '../../src/server/http.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { timeline } from '../support/outputs.ts';
import { json, type Running, start } from './start.ts';

describe('createApp', () => {
  let running: Running;
  const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
    checkedFetch(running.url + path, { method, headers });
  beforeEach(async () => {
    running = await start({ loaded: timeline(2) });
  });
  afterEach(() => running.stop());

  it('knows its paths to the letter', async () => {
    const wrong = [
      '//',
      '/dashboard',
      '/dashboard/',
      '/api/v1',
      '/api/v1/',
      '/meta/account_a',
      '/api/v1/meta',
      '/api/v1/meta/',
      '/api/v1/META/account_a',
      '/api/v1/meta/account_a/',
      '/api/v1/meta/account_a/tweets/',
      '/api/v1/meta/account_a/nothing',
      '/api/v1/portfolio/account_b/rebalancing',
      '/api/v1//meta/account_a',
      '/api/v1/livez',
      '/Livez',
      '/__proto__',
    ];
    for (const path of wrong) {
      const response = await running.get(path);
      assert.equal(response.status, 404, path);
      assert.deepEqual(await json(response), { detail: 'Not Found', code: 'not_found' });
    }
  });

  it('lists the accounts there are to those who ask for another one', async () => {
    const wrong = [
      '/api/v1/meta/account_c',
      '/api/v1/meta/a',
      '/api/v1/meta/Account_a',
      '/api/v1/meta/account%5Fa',
      '/api/v1/meta/crypto/tweets',
      '/api/v1/meta/nobody/lag?as_of=1',
      '/api/v1/prediction/nobody',
      '/api/v1/signals/nobody',
      '/api/v1/portfolio/nobody',
    ];
    const expected = (...accounts: string[]) => ({
      detail: `There is no such account, only ${accounts.join(', ')}`,
      code: 'account_unknown',
      accounts,
    });
    for (const path of wrong) {
      const response = await running.get(path);
      assert.equal(response.status, 404, path);
      assert.deepEqual(await json(response), expected('account_a', 'account_b'), path);
    }
    // Only those that have such a path.
    const response = await running.get('/api/v1/portfolio/nobody/rebalancing');
    assert.deepEqual(await json(response), expected('account_a'));
    for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
      assert.equal((await ask('/api/v1/meta/nobody', method)).status, 404, method);
    }
  });

  it('refuses other methods and says which it takes', async () => {
    for (const path of ['/api/v1/meta/account_a/tweets', '/api/v1/health', '/readyz']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        const response = await ask(path, method);
        assert.equal(response.status, 405);
        assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
        assert.deepEqual(await json(response), { detail: 'Method Not Allowed', code: 'method_not_allowed' });
      }
    }
    assert.equal((await ask('/nowhere', 'DELETE')).status, 404);
  });

  it('lets a page of another site ask first and read', async () => {
    const preflight = await ask('/api/v1/meta/account_a/tweets', 'OPTIONS', {
      Origin: 'https://site.invalid',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-api-key',
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-API-Key/);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /GET/);
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
  });

  it('hardens every answer, good or bad', async () => {
    for (const path of [
      '/api/v1/meta/account_a',
      '/api/v1/nowhere',
      '/livez',
      '/api/v1/meta/account_a/tweets?limit=0',
    ]) {
      const { headers } = await running.get(path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['/api/v1/meta/account_a', '/api/v1/meta/account_a/tweets?limit=1', '/readyz']) {
      const get = await running.get(path);
      const head = await ask(path, 'HEAD');
      const body = await get.text();
      assert.equal(head.status, get.status);
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(body)));
      assert.equal(head.headers.get('etag'), get.headers.get('etag'));
      assert.equal(await head.text(), '');
    }
  });

  it('serves a request whose target is a whole address', async () => {
    const status = await new Promise((resolve, reject) => {
      const req = request(running.url, { path: `${running.url}/api/v1/meta/account_a?x=1` }, (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      req.on('error', reject).end();
    });
    assert.equal(status, 200);
  });

  it('is mounted whole by its callback: ready answers, middleware and draining', async () => {
    const server = createServer(running.app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = urlOf(server.address());
    const connections = async () => {
      const paths = ['/api/v1/meta/account_a', '/livez', '/api/v1/nowhere'];
      const answers = await Promise.all(paths.map((path) => checkedFetch(url + path)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 404],
      );
      return answers.map(({ headers }) => headers.get('connection'));
    };
    try {
      assert.deepEqual(await connections(), ['keep-alive', 'keep-alive', 'keep-alive']);
      running.app.beginDrain();
      assert.deepEqual(await connections(), ['close', 'close', 'close']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('answers over HTTP/2 as well', async () => {
    const server = createHttp2Server(running.app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const session = connect(urlOf(server.address()));
    try {
      const stream = session.request({ ':path': '/api/v1/meta/account_a' });
      const [headers] = await once(stream, 'response');
      stream.resume();
      await once(stream, 'end');
      assert.equal(headers[':status'], 200);
    } finally {
      session.close();
      server.close();
    }
  });

  it('hides a bug from the caller, and emits it as an error event', async () => {
    const bug = new Error('a secret detail');
    const keys = {
      find(): never {
        throw bug;
      },
    };
    const broken = await start({ keys });
    try {
      const told: unknown[] = [];
      broken.app.on('error', (error) => told.push(error));
      const path = '/api/v1/meta/account_a/tweets';
      // The second one takes the way through Koa.
      for (const target of [path, `${broken.url}${path}`]) {
        const body = await new Promise<string>((resolve, reject) => {
          request(broken.url, { path: target, headers: { 'X-API-Key': 'k' } }, (res) => {
            assert.equal(res.statusCode, 500);
            res.setEncoding('utf8');
            res.on('data', resolve);
          })
            .on('error', reject)
            .end();
        });
        assert.deepEqual(JSON.parse(body), { detail: 'Internal Server Error', code: 'internal' });
      }
      assert.deepEqual(told, [bug, bug]);
    } finally {
      await broken.stop();
    }
  });
});
