import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { SourceError } from '../../src/errors.ts';
import { getJson } from '../../src/sources/http.ts';
import { createHttpExchange } from '../../src/sources/http-exchange.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWERED, openScriptedServer, type ScriptedServer } from '../support/scripted-server.ts';

/** A healthy connection stays open a few seconds for the next request. */
const KEPT_ALIVE = 1;

for (const [name, fetch] of [
  ['the fetch of the process', undefined],
  ['the exchange of the sources', createHttpExchange()],
] as const) {
  describe(`getJson by ${name}`, () => {
    let server: ScriptedServer;
    beforeEach(async () => {
      server = await openScriptedServer();
    });
    afterEach(() => server.close());

    async function failure(path: string, request: Parameters<typeof getJson>[1] = {}): Promise<SourceError> {
      const error = await getJson(`${server.url}${path}`, { timeoutMs: 80, fetch, ...request }).then(
        () => assert.fail('answered'),
        (cause: unknown) => cause,
      );
      assert.ok(error instanceof SourceError);
      return error;
    }

    it('gives the document and sends method, headers and body', async () => {
      server.answer(() => ({ ok: [1, 'ü'] }));
      const headers = { authorization: 'Bearer t' };
      const body = [{ token_id: '1' }];
      assert.deepEqual(await getJson(`${server.url}/x?y=1`, { method: 'POST', body, headers, fetch }), {
        ok: [1, 'ü'],
      });
      const [request] = server.requests;
      assert.equal(request?.method, 'POST');
      assert.equal(request?.headers.authorization, 'Bearer t');
      assert.equal(request?.headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(request?.body ?? ''), body);
    });

    it('gives up when no byte comes', async () => {
      server.answer(() => ANSWERED);
      assert.equal((await failure('/never')).code, 'SOURCE_TIMEOUT');
      await eventually('the socket is freed', () => server.connections() <= KEPT_ALIVE);
    });

    it('gives up on a body that stops halfway and on one that drips', async () => {
      server.answer((_, response) => {
        response.write('{"half":');
        return ANSWERED;
      });
      assert.equal((await failure('/half')).code, 'SOURCE_TIMEOUT');
      server.answer((_, response) => {
        const drip = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(drip));
        return ANSWERED;
      });
      assert.equal((await failure('/drip')).code, 'SOURCE_TIMEOUT');
      await eventually('the sockets are freed', () => server.connections() <= KEPT_ALIVE);
    });

    it('reports a connection that is refused or reset as SOURCE_NETWORK', async () => {
      server.answer((_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{');
        response.socket?.resetAndDestroy();
        return ANSWERED;
      });
      assert.equal((await failure('/reset')).code, 'SOURCE_NETWORK');
      const { url } = server;
      await server.close();
      await assert.rejects(getJson(`${url}/gone`, { fetch }), { code: 'SOURCE_NETWORK' });
      server = await openScriptedServer();
    });

    it('keeps the status of a refusal and how long it asks to wait', async () => {
      server.answer((_, response) => {
        response.writeHead(429, { 'retry-after': '7' });
        return undefined;
      });
      const error = await failure('/limited');
      assert.deepEqual([error.code, error.status, error.retryAfterMs], ['SOURCE_STATUS', 429, 7_000]);
    });

    it('does not follow a redirect', async () => {
      server.answer((_, response) => {
        response.writeHead(302, { location: '/elsewhere' });
        return undefined;
      });
      assert.equal((await failure('/moved')).code, 'SOURCE_NETWORK');
      assert.equal(server.requests.length, 1);
    });

    it('stops reading past the limit, also when few bytes unpack to many', async () => {
      server.answer((_, response) => {
        response.write(Buffer.alloc(5_000_000, 32));
        return ANSWERED;
      });
      assert.equal(
        (await failure('/endless', { maxBytes: 2_000_000, timeoutMs: 2_000 })).code,
        'SOURCE_TOO_LARGE',
      );
      await eventually('the socket is freed', () => server.connections() <= KEPT_ALIVE);
      server.answer((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(5_000_000, 32)));
        return ANSWERED;
      });
      assert.equal(
        (await failure('/bomb', { maxBytes: 100_000, timeoutMs: 2_000 })).code,
        'SOURCE_TOO_LARGE',
      );
    });

    for (const [name, bytes] of [
      ['a page of markup', Buffer.from('<html>')],
      ['nothing', Buffer.alloc(0)],
      ['half a document', Buffer.from('{"a":[1,2')],
      ['text in UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ] as const) {
      it(`refuses ${name} as not JSON`, async () => {
        server.answer((_, response) => {
          response.end(bytes);
          return ANSWERED;
        });
        assert.equal((await failure('/garbage')).code, 'SOURCE_NOT_JSON');
      });
    }

    it('reads a byte that is not UTF-8 as a replacement character, and the rest as it is', async () => {
      server.answer((_, response) => {
        response.end(Buffer.from('[{"title":"caf\xe9"},{"title":"b"}]', 'latin1'));
        return ANSWERED;
      });
      assert.deepEqual(await getJson(`${server.url}/latin`, { fetch }), [
        { title: 'caf\ufffd' },
        { title: 'b' },
      ]);
    });

    it('ends the exchange when aborted, before and while it runs', async () => {
      server.answer(() => ANSWERED);
      const controller = new AbortController();
      const running = failure('/abort', { signal: controller.signal, timeoutMs: 5_000 });
      await eventually('the request arrives', () => server.requests.length === 1);
      controller.abort();
      assert.equal((await running).code, 'SOURCE_NETWORK');
      await eventually('the socket is freed', () => server.connections() <= KEPT_ALIVE);
      assert.equal((await failure('/again', { signal: controller.signal })).code, 'SOURCE_NETWORK');
      assert.equal(server.requests.length, 1);
    });

    it('leaves no socket behind after 200 exchanges that broke in all ways', async function () {
      this.timeout(120_000);
      server.answer(({ path }, response) => {
        if (path === '/0') response.socket?.resetAndDestroy();
        else if (path === '/1') response.write('{');
        else if (path === '/2') response.writeHead(500).end('no');
        return ANSWERED;
      });
      await Promise.all(
        Array.from({ length: 200 }, (_, index) => failure(`/${index % 4}`, { timeoutMs: 150 })),
      );
      await eventually('every socket is freed', () => server.connections() <= KEPT_ALIVE);
    });
  });
}
