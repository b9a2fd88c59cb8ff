import assert from 'node:assert/strict';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createHttpExchange } from '../../src/sources/http-exchange.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWERED, openScriptedServer, type ScriptedServer } from '../support/scripted-server.ts';

describe('the exchange of the sources', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await openScriptedServer();
  });
  afterEach(() => server.close());

  const exchange = createHttpExchange();
  const ask = (path: string, signal = new AbortController().signal) =>
    exchange(`${server.url}${path}`, { method: 'GET', headers: {}, redirect: 'error', signal });

  async function textOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const part of body ?? []) parts.push(part);
    return Buffer.concat(parts).toString();
  }

  for (const [encoding, compressed] of [
    ['gzip', gzipSync('[1, 2]')],
    ['br', brotliCompressSync('[1, 2]')],
  ] as const) {
    it(`asks for an answer in ${encoding}, and unpacks it`, async () => {
      server.answer((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(compressed);
        return ANSWERED;
      });
      assert.equal(await textOf((await ask('/packed')).body), '[1, 2]');
      assert.match(server.requests[0]?.headers['accept-encoding'] ?? '', new RegExp(`\\b${encoding}\\b`));
    });
  }

  it('fails with an answer that cannot be unpacked, and frees its socket', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is not gzip');
      return ANSWERED;
    });
    const { body } = await ask('/damaged');
    await assert.rejects(textOf(body), { code: 'Z_DATA_ERROR' });
    await eventually('the socket is freed', () => server.connections() <= 1);
  });

  it('tells status and headers, whatever the case of their names, before the body is read', async () => {
    server.answer((_, response) => {
      response.writeHead(503, { 'Retry-After': '7' });
      return { error: 'busy' };
    });
    const { ok, status, headers, body } = await ask('/busy');
    assert.deepEqual([ok, status, headers.get('Retry-after'), headers.get('none')], [false, 503, '7', null]);
    assert.equal(await textOf(body), '{"error":"busy"}');
  });

  it('uses a connection again once its answer was read', async () => {
    const ports = new Set<number | undefined>();
    server.answer((_, response) => {
      ports.add(response.socket?.remotePort);
      return [];
    });
    for (let round = 0; round < 5; round += 1) await textOf((await ask('/again')).body);
    assert.equal(ports.size, 1);
  });

  it('rejects with the reason of its signal', async () => {
    server.answer(() => ANSWERED);
    const controller = new AbortController();
    const reason = new Error('enough');
    const asked = ask('/never', controller.signal);
    await eventually('the request arrives', () => server.requests.length === 1);
    controller.abort(reason);
    await assert.rejects(asked, reason);
    await assert.rejects(ask('/before', controller.signal), reason);
    assert.equal(server.requests.length, 1);
  });
});
