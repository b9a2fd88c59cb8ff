import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { RequestEnds } from '../../src/server/request-ends.ts';

const MANY = 1_000;

const withoutBody = fc
  .tuple(
    fc.constantFrom(
      'GET / HTTP/1.1',
      'DELETE /a HTTP/1.1',
      'GET / RTSP/1.1',
      'GET /\r\nConnection: keep-alive',
    ),
    fc.constantFrom(
      'Host: x',
      'Host: x\r\nContent-Length: 0',
      'Host: x\r\nTrailers: 1',
      'Cookie:\r\n folded',
    ),
    fc.constantFrom('', '\r\n', '\r\n\r\n'),
  )
  .map(([first, header, before]) => `${before}${first}\r\n${header}\r\n\r\n`);

/** With blank lines and what looks like requests. */
const content = fc
  .array(fc.constantFrom('\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', '{"a":1}', '0\r\n\r\n', 'x'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

const withLength = content.map(
  (body) => `POST / HTTP/1.1\r\nHost: x\r\ncontent-length:  ${body.length}\r\nAccept: y\r\n\r\n${body}`,
);

const inChunks = fc
  .tuple(
    fc.array(content, { maxLength: 4 }),
    fc.constantFrom('', 'Trailer: x\r\n'),
    fc.constantFrom('', ';a=b'),
  )
  .map(([parts, trailer, extension]) => {
    const chunks = parts.map(
      (part) => `${part.length.toString(16).toUpperCase()}${extension}\r\n${part}\r\n`,
    );
    return `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: x\r\n\r\n${chunks.join('')}0\r\n${trailer}\r\n`;
  });

const pieces = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 });

/** Cuts a text into pieces of these lengths, over and over. */
function inPieces(text: string, lengths: readonly number[]): readonly Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, n = 0; at < text.length; n++) {
    const length = lengths[n % lengths.length] ?? 1;
    cut.push(Buffer.from(text.slice(at, at + length), 'latin1'));
    at += length;
  }
  return cut;
}

/** The offset in the whole text, whatever pieces it comes in. */
function firstUnwanted(text: string, lengths: readonly number[], most: number): number | undefined {
  const ends = new RequestEnds();
  let before = 0;
  for (const piece of inPieces(text, lengths)) {
    const found = ends.firstUnwanted(piece, most);
    if (found !== undefined) return before + found;
    before += piece.length;
  }
  return undefined;
}

describe('RequestEnds', () => {
  it('wants all of any requests without a body, and of the body after them, in whatever pieces they come', () =>
    fc.assert(
      fc.property(
        fc.array(withoutBody, { maxLength: 6 }),
        fc.oneof(withLength, inChunks),
        pieces,
        (heads, last, lengths) => {
          const text = heads.join('') + last;
          assert.equal(firstUnwanted(text, lengths, MANY), undefined);
          assert.equal(firstUnwanted(`${text}GET / HTTP/1.1\r\n\r\n`, lengths, MANY), text.length);
        },
      ),
    ));

  it('wants so many heads of what comes at once', () =>
    fc.assert(
      fc.property(
        fc.array(withoutBody, { minLength: 1, maxLength: 6 }),
        fc.array(withoutBody, { minLength: 1, maxLength: 6 }),
        (wanted, more) => {
          const bytes = Buffer.from([...wanted, ...more].join(''));
          assert.equal(new RequestEnds().firstUnwanted(bytes, wanted.length), wanted.join('').length);
        },
      ),
    ));

  describe('beside the parser', () => {
    let server: Server;
    let made = 0;
    before(async () => {
      server = createServer(() => {
        made += 1;
      });
      server.on('clientError', (_error, socket) => socket.destroy());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    after(() => {
      server.close();
      server.closeAllConnections();
    });

    /** Headers that could be read in two ways. */
    const DOUBTFUL = [
      'Transfer-Encoding: identity',
      'Transfer-Encoding:',
      'Transfer-Encoding: chunked, gzip',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding : chunked',
      'X: y\r\n Transfer-Encoding: chunked',
      'Transfer-Encoding:\r\n chunked',
      'Content-Length: 1,000',
      'Content-Length:\r\n 1000',
      'Content-Length: 1000\r\nContent-Length: 0',
      'Content-Length: 1000\r\nTransfer-Encoding: chunked',
      'Content-Length: +1000',
      'Content-Length: 0x10',
      `Content-Length:${' '.repeat(200)}1000`,
      'Content-Length\r\n : 1000',
    ];
    for (const header of DOUBTFUL) {
      it(`never wants more than the parser makes requests of after ${JSON.stringify(header)}`, async () => {
        made = 0;
        const flood = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
        const bytes = Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n${flood.repeat(100)}`);
        const unwanted = new RequestEnds().firstUnwanted(bytes, 5);
        const wanted = bytes.subarray(0, unwanted);
        const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.end(Buffer.concat([wanted, Buffer.from([0])]));
        await new Promise((resolve) => socket.on('close', resolve).resume());
        assert.ok(made <= 5, `${made} requests`);
      });
    }
  });
});
