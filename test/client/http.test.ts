import assert from 'node:assert/strict';
import { createClient, TallywireError } from '../../src/client/node.ts';
import { ANSWERED, openScriptedServer, type ScriptedServer } from '../support/scripted-server.ts';

describe('calls of the client', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await openScriptedServer();
  });
  afterEach(() => server.close());

  it('send the key, the query and the ETag of the last answer, and return the cached body on a 304', async () => {
    server.answer(({ headers }, response) => {
      response.setHeader('ETag', 'W/"1"');
      response.setHeader('X-RateLimit-Limit', '100');
      response.setHeader('X-RateLimit-Remaining', headers['if-none-match'] ? '98' : '99');
      response.setHeader('X-RateLimit-Reset', '1700');
      if (headers['if-none-match'] !== 'W/"1"') return { timestamp: 1, data: [] };
      response.writeHead(304).end();
      return ANSWERED;
    });
    const client = createClient({ url: `${server.url}/`, key: 'k' });
    assert.equal(client.quota, undefined);
    const first = await client.tweets('account a', { limit: 2 });
    const second = await client.tweets('account a', { limit: 2 });
    assert.deepEqual(second, first);
    assert.deepEqual(client.quota, { limit: 100, remaining: 98, resetAt: 1_700_000 });
    const [asked, again] = server.requests;
    assert.equal(asked?.path, '/api/v1/meta/account%20a/tweets');
    assert.equal(String(asked?.query), 'limit=2');
    assert.equal(asked?.headers['x-api-key'], 'k');
    assert.equal(asked?.headers['if-none-match'], undefined);
    assert.equal(again?.headers['if-none-match'], 'W/"1"');
  });

  it('cache no more answers than configured', async () => {
    server.answer((_, response) => {
      response.setHeader('ETag', '"t"');
      return { data: [] };
    });
    const client = createClient({ url: server.url, keptAnswers: 2 });
    for (const account of ['a', 'b', 'a', 'c', 'a', 'b']) await client.meta(account);
    const hasTag = server.requests.map(({ headers }) => headers['if-none-match'] !== undefined);
    assert.deepEqual(hasTag, [false, false, true, false, true, false]);
  });

  it('throw an answer of 429 at once, with the time to wait', async () => {
    server.answer((_, response) => {
      response.statusCode = 429;
      response.setHeader('Retry-After', '7');
      return { detail: 'enough', code: 'rate_limited' };
    });
    await assert.rejects(createClient({ url: server.url }).meta('account_a'), {
      name: 'TallywireError',
      status: 429,
      code: 'rate_limited',
      detail: 'enough',
      retryAfterMs: 7_000,
    });
    assert.equal(server.requests.length, 1);
  });

  it('are repeated when the server says when, unless the wait is too long', async () => {
    let waits = ['0', '0'];
    server.answer((_, response) => {
      const wait = waits.shift();
      if (wait === undefined) return { timestamp: 1, data: [] };
      response.statusCode = 503;
      response.setHeader('Retry-After', wait);
      return { detail: 'later', code: 'market_unreachable' };
    });
    const client = createClient({ url: server.url, retry: { attempts: 2, longestWaitMs: 1_000 } });
    assert.deepEqual((await client.crypto()).data, []);
    assert.equal(server.requests.length, 3);
    waits = ['2'];
    await assert.rejects(client.crypto(), { code: 'market_unreachable' });
    waits = ['0', '0', '0'];
    await assert.rejects(client.crypto(), { code: 'market_unreachable' });
    assert.equal(server.requests.length, 7);
  });

  it('end at the timeout, or when the caller aborts', async () => {
    server.answer(() => ANSWERED);
    const client = createClient({ url: server.url, timeoutMs: 30 });
    await assert.rejects(client.health(), { code: 'timeout', status: 0 });
    const mine = new Error('mine');
    const asked = client.health({ signal: AbortSignal.abort(mine), timeoutMs: 10_000 });
    await assert.rejects(asked, (error) => error === mine);
  });

  it('refuses what is no address at once', () => {
    for (const url of ['', 'localhost:8080', '127.0.0.1:8080', 'ws://127.0.0.1:8080', 'http://', '/api']) {
      assert.throws(() => createClient({ url }), { code: 'url_invalid', status: 0 }, url);
    }
  });

  it('report a server that is not there, and one that does not answer in JSON', async () => {
    await assert.rejects(createClient({ url: 'http://127.0.0.1:1' }).health(), {
      code: 'network',
      status: 0,
    });
    server.answer((_, response) => {
      response.statusCode = 502;
      response.end('<html>');
      return ANSWERED;
    });
    const client = createClient({ url: server.url });
    await assert.rejects(client.crypto(), { code: 'http_502', status: 502, detail: '<html>' });
    server.answer((_, response) => {
      response.end('<html>');
      return ANSWERED;
    });
    await assert.rejects(client.crypto(), (error) => {
      assert.ok(error instanceof TallywireError);
      assert.equal(error.code, 'not_json');
      return true;
    });
  });

  it('return the health record of a server that is unavailable', async () => {
    server.answer((_, response) => {
      response.statusCode = 503;
      return { timestamp: 1, status: 'unavailable' };
    });
    assert.equal((await createClient({ url: server.url }).health()).status, 'unavailable');
  });
});
