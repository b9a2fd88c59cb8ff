import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { InvalidRequest } from '../../src/contract/validation/validate.ts';
import { RequestError } from '../../src/errors.ts';
import { receiveJson } from '../../src/server/request-body.ts';
import { eventually } from '../support/eventually.ts';

const JSON_HEAD = 'Content-Type: application/json';
const KIB = 1_024;

/** Answers with what was received, or why not, and like our server closes a connection that brought a body. */
function createEcho(seen: string[]): Server {
  return createServer((req, res) => {
    res.shouldKeepAlive = false;
    receiveJson(req).then(
      (text) => {
        seen.push(`${text.length}`);
        res.end(text);
      },
      (error: unknown) => {
        if (!(error instanceof RequestError)) throw error;
        seen.push(req.complete ? error.code : `${error.code} before the end`);
        res
          .writeHead(error.status, error.headers)
          .end(error instanceof InvalidRequest ? 'faults' : error.code);
      },
    );
  });
}

async function withEcho(use: (port: number, seen: string[]) => Promise<void>): Promise<void> {
  const seen: string[] = [];
  const server = createEcho(seen);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port, seen);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

interface Wire {
  readonly socket: Socket;
  /** Everything heard so far. */
  text(): string;
  isClosed(): boolean;
}

async function dial(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let isClosed = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  // A connection that is cut while it sends is what some of these tests are about.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  return { socket, text: () => text, isClosed: () => isClosed };
}

function post(body: string, ...headers: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return ['POST / HTTP/1.1', 'Host: localhost', length, ...headers, '', body].join('\r\n');
}

function chunked(...headers: readonly string[]): string {
  const all = ['POST / HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked', ...headers, '', ''];
  return all.join('\r\n');
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);

/** Sends requests one after the other, each on a connection of its own, and gives what they are answered with. */
async function ask(port: number, ...requests: readonly string[]): Promise<string> {
  let text = '';
  for (const [index, request] of requests.entries()) {
    const wire = await dial(port);
    wire.socket.write(request);
    await eventually(`answer ${index + 1}`, () => wire.isClosed());
    text += wire.text();
  }
  return text;
}

describe('receiveJson', () => {
  it('reads a body of up to 16 KiB, whole or in chunks, of any JSON type', () =>
    withEcho(async (port, seen) => {
      const full = 'x'.repeat(16 * KIB);
      for (const type of [
        'application/json',
        'Application/JSON; charset=utf-8',
        'application/problem+json',
      ]) {
        assert.deepEqual(statuses(await ask(port, post(full, `Content-Type: ${type}`))), ['200']);
      }
      const parts = ['ä', '€', '😀'].map(chunk).join('');
      const text = await ask(port, `${chunked(JSON_HEAD, 'Content-Encoding: identity')}${parts}0\r\n\r\n`);
      assert.match(text, /ä€😀/);
      assert.deepEqual(seen, ['16384', '16384', '16384', '4']);
    }));

  it('puts a body together that comes byte by byte', () =>
    withEcho(async (port, seen) => {
      const text = 'ä€😀'.repeat(40);
      const wire = await dial(port);
      wire.socket.setNoDelay(true);
      wire.socket.write(chunked(JSON_HEAD));
      for (const byte of Buffer.from(text)) {
        wire.socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
      }
      wire.socket.write('0\r\n\r\n');
      await eventually('the answer', () => wire.isClosed());
      assert.ok(wire.text().endsWith(text));
      assert.deepEqual(seen, [`${text.length}`]);
    }));

  it('takes no body at all for an empty text, whatever its type', () =>
    withEcho(async (port, seen) => {
      assert.deepEqual(
        statuses(await ask(port, post(''), post('', JSON_HEAD), post('', 'Content-Type: text/plain'))),
        ['200', '200', '200'],
      );
      assert.deepEqual(seen, ['0', '0', '0']);
    }));

  it('refuses what is not JSON by its type or is packed, and says so', () =>
    withEcho(async (port, seen) => {
      const refused = [
        post('{}'),
        post('{}', 'Content-Type: text/plain'),
        post('{}', 'Content-Type: application/jsonx'),
        post('{}', 'Content-Type: application/x-www-form-urlencoded'),
        post('{}', JSON_HEAD, 'Content-Encoding: gzip'),
        post('{}', JSON_HEAD, 'Content-Encoding: identity, br'),
        `${chunked('Content-Type: text/html')}${chunk('{}')}0\r\n\r\n`,
      ];
      const text = await ask(port, ...refused, post('{}', JSON_HEAD));
      assert.deepEqual(statuses(text), [...refused.map(() => '415'), '200']);
      assert.deepEqual(seen, [...refused.map(() => 'unsupported_media_type'), '2']);
      assert.match(text, /Accept: application\/json/);
      assert.match(text, /Accept-Encoding: identity/);
    }));

  it('refuses one byte more than 16 KiB, declared or not, and reads up to 1 MiB before it answers', () =>
    withEcho(async (port, seen) => {
      const large = 'x'.repeat(16 * KIB + 1);
      const inChunks = `${chunked(JSON_HEAD)}${chunk(large)}${chunk('more')}0\r\n\r\n`;
      const megabyte = post('x'.repeat(KIB * KIB), JSON_HEAD);
      const text = await ask(port, post(large, JSON_HEAD), inChunks, megabyte, post('{}', JSON_HEAD));
      assert.deepEqual(statuses(text), ['413', '413', '413', '200']);
      assert.deepEqual(seen, ['body_too_large', 'body_too_large', 'body_too_large', '2']);
    }));

  it('refuses 10 GB by what is declared, before any of it comes, and closes', () =>
    withEcho(async (port) => {
      const wire = await dial(port);
      wire.socket.write(
        `POST / HTTP/1.1\r\nHost: localhost\r\n${JSON_HEAD}\r\nContent-Length: 10000000000\r\n\r\n`,
      );
      await eventually('the connection is closed', () => wire.isClosed());
      assert.deepEqual(statuses(wire.text()), ['413']);
      assert.match(wire.text(), /Connection: close/);
    }));

  it('cuts off a caller whose chunks never end', () =>
    withEcho(async (port, seen) => {
      const wire = await dial(port);
      wire.socket.write(chunked(JSON_HEAD));
      const piece = chunk('x'.repeat(64 * KIB));
      let sent = 0;
      while (!wire.isClosed() && sent < 1_000) {
        sent += 1;
        if (!wire.socket.write(piece))
          await Promise.race([once(wire.socket, 'drain'), once(wire.socket, 'close')]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(wire.isClosed());
      assert.deepEqual(seen, ['body_too_large before the end']);
    }));

  it('gives up when the caller goes away half way', () =>
    withEcho(async (port, seen) => {
      const wire = await dial(port);
      wire.socket.write(post('{"a":1}', JSON_HEAD).slice(0, -3));
      wire.socket.end();
      await eventually('the reading ends', () => seen.length > 0);
      assert.deepEqual(seen, ['body_incomplete before the end']);
      const reset = await dial(port);
      reset.socket.write(post('{"a":1}', JSON_HEAD).slice(0, -3), () => reset.socket.resetAndDestroy());
      await eventually('the reading ends', () => seen.length > 1);
      assert.deepEqual(seen, Array(2).fill('body_incomplete before the end'));
    }));

  it('refuses bytes that are no UTF-8 as no JSON', () =>
    withEcho(async (port, seen) => {
      const response = await fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: Buffer.from([0x22, 0xff, 0x22]),
      });
      assert.equal(response.status, 422);
      assert.deepEqual(seen, ['invalid_request']);
    }));
});
