import assert from 'node:assert/strict';
import { createServer, type Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { type AnswersInTurn, createAnswersInTurn } from '../../src/server/answers-in-turn.ts';
import { markKeptBody } from '../../src/server/kept-body.ts';
import { eventually } from '../support/eventually.ts';

const LIMITS = { maxWaitingRequests: 32, maxUnsentBytes: 1e9, writeTimeoutMs: 60_000 };
/** More than the system takes for a connection that nobody reads. */
const LARGE = Buffer.alloc(16 * 1_024 * 1_024, 'x');

const get = (path: string, ...headers: readonly string[]) =>
  `GET ${path} HTTP/1.1\r\n${['Host: x', ...headers].join('\r\n')}\r\n\r\n`;

describe('createAnswersInTurn', () => {
  let server: Server;
  let answers: AnswersInTurn;
  let asked: string[];
  let closed: Promise<unknown>[];
  const finishing = new Map<string, () => void>();
  const opened: Socket[] = [];

  /** `/now/...` is answered at once, `/later/...` in a later turn, `/held/...` when the test says so. */
  async function open(limits: Partial<typeof LIMITS> = {}): Promise<void> {
    asked = [];
    closed = [];
    answers = createAnswersInTurn(
      (req, res) => {
        const url = req.url ?? '';
        asked.push(url);
        if (url.startsWith('/large')) {
          if (url === '/large/kept') markKeptBody(res);
          res.end(LARGE);
          return undefined;
        }
        if (url.startsWith('/stream')) {
          res.write(url);
          return undefined;
        }
        if (url.startsWith('/now')) {
          res.end(url);
          return undefined;
        }
        if (url.startsWith('/echo')) {
          return new Promise((resolve) => {
            const chunks: Buffer[] = [];
            req.on('data', (chunk: Buffer) => chunks.push(chunk));
            req.on('end', () => {
              res.shouldKeepAlive = false;
              res.end(Buffer.concat(chunks));
              resolve();
            });
          });
        }
        return new Promise((resolve) => {
          const finish = () => {
            res.end(url);
            resolve();
          };
          if (url.startsWith('/later')) setImmediate(finish);
          else finishing.set(url, finish);
        });
      },
      { ...LIMITS, ...limits },
    );
    server = createServer(answers.answer);
    server.on('connection', answers.watch);
    server.on('clientError', (error, socket) => {
      if (!answers.endIfCut(error, socket)) socket.destroy();
    });
    server.on('upgrade', (req, socket) => {
      socket.on('error', () => undefined);
      answers.afterAnswers(socket, () => {
        if (req.url === '/feed') {
          socket.end('upgraded');
          return;
        }
        const res = new ServerResponse(req);
        res.assignSocket(req.socket);
        req.socket.once('timeout', () => req.socket.destroy());
        answers.answerLast(req, res);
      });
    });
    server.on('connection', (socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  function portOf(): number {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not listening');
    return address.port;
  }
  function dial(bytes: string, options: { readonly localAddress?: string } = {}): Socket {
    const socket = connect({ port: portOf(), host: '127.0.0.1', ...options }, () => socket.write(bytes));
    socket.on('error', () => undefined);
    opened.push(socket);
    return socket;
  }
  async function exchange(bytes: string): Promise<string> {
    const socket = dial(bytes);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  }
  const bodiesIn = (text: string) => [...text.matchAll(/\r\n(\/[a-z]+\/\d+)/g)].map(([, body]) => body);

  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  it('answers pipelined requests in their order, whichever is ready first', async () => {
    await open();
    const kinds = fc.array(fc.constantFrom('now', 'later'), { minLength: 1, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 400 }), async (list, pieceLength) => {
        const paths = list.map((kind, n) => `/${kind}/${n}`);
        const bytes = paths.map((path) => get(path)).join('') + get('/now/99', 'Connection: close');
        const socket = dial('');
        let text = '';
        socket.setEncoding('latin1').on('data', (chunk) => {
          text += chunk;
        });
        for (let at = 0; at < bytes.length; at += pieceLength) {
          await new Promise((resolve) => socket.write(bytes.slice(at, at + pieceLength), resolve));
        }
        await new Promise((resolve) => socket.once('close', resolve));
        assert.deepEqual(bodiesIn(text), [...paths, '/now/99']);
      }),
      { numRuns: 30 },
    );
    assert.equal(answers.figures().unsentBytes, 0);
  });

  it('makes two answers at most before the first was taken', async () => {
    await open();
    dial(get('/held/0') + get('/now/1') + get('/now/2'));
    await eventually('the first is asked for', () => asked.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, ['/held/0']);
    finishing.get('/held/0')?.();
    await eventually('all are asked for', () => asked.length === 3);
    await eventually('nothing waits', () => answers.figures().unsentBytes === 0);
  });

  it('ends a connection with too many waiting requests after the answers to those before', async () => {
    await open({ maxWaitingRequests: 4 });
    const text = await exchange(Array.from({ length: 2_000 }, (_, n) => get(`/later/${n}`)).join(''));
    assert.deepEqual(bodiesIn(text), ['/later/0', '/later/1', '/later/2', '/later/3']);
    assert.match(text, /Connection: close\r\n[^/]*\/later\/3$/);
    assert.equal(asked.length, 4);
    await Promise.all(closed);
    assert.equal(answers.figures().unsentBytes, 0);
  });

  it('closes a connection that takes no byte of its answer in time', async () => {
    await open({ writeTimeoutMs: 50 });
    dial(get('/large/1')).pause();
    await eventually('it is connected', () => closed.length === 1);
    await Promise.all(closed);
    assert.equal(answers.figures().unsentBytes, 0);
  });

  it('closes one that goes on sending instead, too', async () => {
    await open({ writeTimeoutMs: 50 });
    const socket = dial(get('/large/kept')).pause();
    const sending = setInterval(() => socket.writable && socket.write('\r\n'), 5);
    await eventually('it is closed', () => socket.destroyed || closed.length === 1);
    await Promise.all(closed);
    clearInterval(sending);
    assert.equal(answers.figures().unsentBytes, 0);
  });

  it('goes on with a connection whose answer was not taken at once', async () => {
    await open();
    const socket = dial(get('/large/1')).pause();
    await eventually('it is asked for', () => asked.length === 1);
    socket.write(get('/large/2').slice(0, 10));
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.resume();
    await eventually('the answer is there', () => received > LARGE.length);
    socket.write(get('/large/2').slice(10));
    await eventually('the second is there', () => received > 2 * LARGE.length);
    socket.write(get('/now/3', 'Connection: close'));
    await Promise.all(closed);
    assert.deepEqual(asked, ['/large/1', '/large/2', '/now/3']);
  });

  it('leaves bodies as they are, whatever is in them and however few requests may wait', async () => {
    for (const maxWaitingRequests of [4, 1]) {
      await open({ maxWaitingRequests });
      const body = '{\r\n\r\n"a":1}\r\n\r\nGET / HTTP/1.1\r\n\r\n'.repeat(50);
      const head = 'POST /echo HTTP/1.1\r\nHost: x\r\n';
      const whole = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const half = body.length / 2;
      const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\n\r\n`;
      for (const bytes of [whole, chunked, whole + get('/now/1').repeat(100)]) {
        const text = await exchange(bytes);
        assert.equal(text.slice(text.indexOf('\r\n\r\n') + 4), body);
      }
      assert.deepEqual(asked, ['/echo', '/echo', '/echo']);
      server.close();
    }
  });

  it('gives an answer that takes its time as long as it needs', async () => {
    await open({ writeTimeoutMs: 20 });
    const whole = exchange(get('/now/0') + get('/held/1', 'Connection: close'));
    await eventually('it is asked for', () => finishing.has('/held/1'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    finishing.get('/held/1')?.();
    assert.deepEqual(bodiesIn(await whole), ['/now/0', '/held/1']);
    finishing.clear();
  });

  it('closes those of the address that holds most when too much waits in all', async () => {
    await open({ maxUnsentBytes: 2.5 * LARGE.length });
    const modest = dial(get('/large/1'), { localAddress: '127.0.0.2' }).pause();
    await eventually('it is asked for', () => asked.length === 1);
    const greedy = [1, 2, 3].map(() => dial(get('/large/1'), { localAddress: '127.0.0.3' }).pause());
    await eventually('all are asked for', () => asked.length === 4);
    const { endedConnections, unsentBytes } = answers.figures();
    assert.equal(endedConnections, 2);
    assert.ok(unsentBytes <= 2.5 * LARGE.length);
    let received = 0;
    modest.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    modest.resume();
    await eventually('the modest one has its whole answer', () => received > LARGE.length);
    for (const socket of greedy) socket.destroy();
    await eventually('nothing waits', () => answers.figures().unsentBytes === 0);
  });

  it('does not count a body that is kept anyway', async () => {
    await open({ maxUnsentBytes: LARGE.length });
    for (let n = 0; n < 5; n++) dial(get('/large/kept')).pause();
    await eventually('all are asked for', () => asked.length === 5);
    assert.equal(answers.figures().endedConnections, 0);
    assert.ok(answers.figures().unsentBytes > 0);
  });

  it('counts no stream, which is looked after elsewhere', async () => {
    await open({ maxUnsentBytes: 1 });
    const text: string[] = [];
    dial(get('/stream/1')).on('data', (chunk: Buffer) => text.push(String(chunk)));
    await eventually('it streams', () => text.join('').includes('/stream/1'));
    assert.deepEqual(answers.figures(), { unsentBytes: 0, endedConnections: 0 });
  });

  it('bounds the answer to a request for an upgrade that is not granted', async () => {
    const upgrade = get('/large/1', 'Connection: Upgrade', 'Upgrade: websocket');
    await open({ maxUnsentBytes: 1.5 * LARGE.length });
    for (let n = 0; n < 2; n++) dial(upgrade).pause();
    await eventually('one has to go', () => answers.figures().endedConnections === 1);
    server.close();
    await open({ writeTimeoutMs: 50 });
    dial(upgrade).pause();
    await eventually('it is connected', () => closed.length === 1);
    await Promise.all(closed);
    assert.deepEqual(answers.figures(), { unsentBytes: 0, endedConnections: 0 });
  });

  it('upgrades a connection only after the answers before', async () => {
    await open();
    const upgrade = get('/feed', 'Connection: Upgrade', 'Upgrade: websocket');
    for (const before of [['/now/0'], ['/later/0'], ['/now/0', '/now/1', '/later/2', '/now/3']]) {
      const text = await exchange(before.map((path) => get(path)).join('') + upgrade);
      assert.deepEqual(bodiesIn(text), before);
      assert.match(text, /upgraded$/);
    }
  });
});
