import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { extname } from 'node:path';
import * as z from 'zod';
import { waitlistRecord } from '../../../src/contract/records/waitlist.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { checkedFetch } from '../../support/answer-check.ts';
import { type Child, startChild } from '../../support/child.ts';
import { walletOf } from '../../support/describe-waitlist.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { withFolder } from '../../support/store-records.ts';
import { json, type Running, start } from '../start.ts';

const PATH = '/api/v1/waitlist';
const HUMAN = { type: 'human', case: 'reading', email: 'a@b.co' };
const AGENT = { type: 'agent', case: 'trading', name: 'bot 1', wallet: walletOf(1) };
const faultsOf = z.object({
  detail: z.array(
    z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }),
  ),
});
const serverModule = new URL(`../waitlist-server${extname(import.meta.url)}`, import.meta.url);

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return checkedFetch(url + PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function placeOf(url: string, body: unknown) {
  const response = await post(url, body);
  assert.equal(response.status, 200);
  return waitlistRecord.strict().parse(await response.json());
}

const agentBody = (n: number) => ({ ...AGENT, wallet: walletOf(n) });

async function serve(folder: string): Promise<{ child: Child; url: string }> {
  const child = startChild(serverModule, [folder]);
  const { url } = z.object({ url: z.string() }).parse(await child.firstMessage(() => true));
  return { child, url };
}

describe('POST /waitlist', () => {
  let server: Running;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server.stop());

  it('answers with a status and a position, and nothing else', async () => {
    const response = await post(server.url, AGENT);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('ratelimit'), null);
    assert.deepEqual(await json(response), { status: 'registered', position: 1 });
    assert.deepEqual(await placeOf(server.url, HUMAN), { status: 'registered', position: 2 });
  });

  it('gives the same wallet or email its first place again, whatever the rest says', async () => {
    await placeOf(server.url, AGENT);
    await placeOf(server.url, HUMAN);
    const again = { status: 'already_registered', position: 1 };
    const shouted = `0x${walletOf(1).slice(2).toUpperCase()}`;
    assert.deepEqual(await placeOf(server.url, AGENT), again);
    assert.deepEqual(
      await placeOf(server.url, { ...AGENT, name: 'other', case: 'other', wallet: shouted }),
      again,
    );
    assert.deepEqual(await placeOf(server.url, { ...HUMAN, email: 'new@b.co', wallet: walletOf(1) }), again);
    assert.deepEqual(await placeOf(server.url, { ...HUMAN, email: 'A@B.co', name: null, wallet: null }), {
      status: 'already_registered',
      position: 2,
    });
  });

  it('needs no key, and refuses one it does not know without taking a place', async () => {
    const refused = await post(server.url, AGENT, { 'X-API-Key': 'nobody' });
    assert.deepEqual([refused.status, (await json(refused)).code], [401, 'key_invalid']);
    assert.deepEqual(await placeOf(server.url, AGENT), { status: 'registered', position: 1 });
  });

  it('takes no parameters, and lists those of other endpoints with the faults of the body', async () => {
    const response = await fetch(`${server.url}/api/v1/waitlist?limit=1&x=2`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...AGENT, name: '!' }),
    });
    const { detail } = await json(response);
    assert.ok(response.status === 422 && Array.isArray(detail));
    assert.deepEqual(
      detail.map(({ loc, type }) => [...loc, type]),
      [
        ['query', 'limit', 'extra_forbidden'],
        ['body', 'name', 'string_pattern_mismatch'],
      ],
    );
  });

  it('takes each field at its longest', async () => {
    await placeOf(server.url, { type: 'human', case: '😀'.repeat(500), email: `${'a'.repeat(145)}@b.co` });
    await placeOf(server.url, { ...AGENT, name: 'a_B-9 '.repeat(9).slice(0, 50), case: '' });
  });

  it('refuses what breaks a rule of 2.8, with every fault, and takes no place', async () => {
    const cases: [unknown, [string, string][]][] = [
      [
        {},
        [
          ['type', 'missing'],
          ['case', 'missing'],
        ],
      ],
      [{ ...HUMAN, type: 'Human' }, [['type', 'literal_error']]],
      [{ ...HUMAN, case: 'x'.repeat(501) }, [['case', 'string_too_long']]],
      [{ ...HUMAN, case: 5 }, [['case', 'string_type']]],
      [{ ...HUMAN, email: null }, [['email', 'missing']]],
      [{ ...HUMAN, email: 'a@b' }, [['email', 'string_pattern_mismatch']]],
      [{ ...HUMAN, email: `${'a'.repeat(146)}@b.co` }, [['email', 'string_too_long']]],
      [
        { type: 'agent', case: 'x' },
        [
          ['name', 'missing'],
          ['wallet', 'missing'],
        ],
      ],
      [{ ...AGENT, name: 'x'.repeat(51) }, [['name', 'string_too_long']]],
      [{ ...AGENT, name: 'a.b' }, [['name', 'string_pattern_mismatch']]],
      [{ ...AGENT, wallet: walletOf(1).slice(0, 41) }, [['wallet', 'string_pattern_mismatch']]],
      [{ ...AGENT, wallet: `${walletOf(1)}0` }, [['wallet', 'string_too_long']]],
    ];
    for (const [body, expected] of cases) {
      const response = await post(server.url, body);
      assert.equal(response.status, 422, JSON.stringify(body));
      const { detail } = faultsOf.parse(await response.json());
      assert.deepEqual(
        detail.map(({ loc, type }) => [loc, type]),
        expected.map(([field, type]) => [['body', field], type]),
      );
    }
    assert.equal((await placeOf(server.url, AGENT)).position, 1);
  });

  it('refuses other bodies and methods', async () => {
    const answered = async (response: Promise<Response>) => {
      const { status } = await response;
      return [status, (await json(await response)).code];
    };
    assert.deepEqual(await answered(post(server.url, 'x'.repeat(16_385))), [413, 'body_too_large']);
    assert.deepEqual(await answered(post(server.url, '{}', { 'Content-Type': 'text/plain' })), [
      415,
      'unsupported_media_type',
    ]);
    const packed = post(server.url, '{}', { 'Content-Encoding': 'gzip' });
    assert.deepEqual(await answered(packed), [415, 'unsupported_media_type']);
    assert.deepEqual(await answered(server.get(PATH)), [405, 'method_not_allowed']);
    assert.equal((await server.get(PATH)).headers.get('allow'), 'OPTIONS, POST');
    const empty = await post(server.url, '');
    assert.deepEqual(
      [empty.status, await json(empty)],
      [422, { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] }],
    );
  });
});

describe('POST /waitlist on a disk', () => {
  it('gives 1,000 concurrent callers the places 1 to 1,000, and a repeated caller one place', function () {
    this.timeout(120_000);
    return withFolder(async (folder) => {
      const store = await openStore(folder);
      const server = await start({ deps: { waitlist: store.waitlist } });
      try {
        const order = Array.from({ length: 1_050 }, (_, index) => index % 1_000);
        const { port } = new URL(server.url);
        const texts = await Promise.all(order.map((n) => postRaw(Number(port), agentBody(n))));
        const places = texts.map((text) => waitlistRecord.parse(JSON.parse(text)).position);
        const byWallet = new Map(order.slice(0, 1_000).map((n, index) => [n, places[index]]));
        for (const [index, n] of order.entries()) assert.equal(places[index], byWallet.get(n));
        const dense = Array.from({ length: 1_000 }, (_, index) => index + 1);
        assert.deepEqual([...new Set(places)].sort(ascending), dense);
        assert.deepEqual(
          Array.from(store.waitlist.list(), ({ position }) => position),
          dense,
        );
      } finally {
        await server.stop();
        await store.close();
      }
    });
  });

  it('loses no answered place when the process is killed, and continues without a gap', function () {
    this.timeout(120_000);
    return withFolder(async (folder) => {
      const told = new Map<number, number>();
      let next = 0;
      for (let kill = 0; kill < 2; kill++) {
        const { child, url } = await serve(folder);
        const killAfter = told.size + 40 * (kill + 1);
        const ask = async () => {
          for (;;) {
            const n = next++;
            const { position } = await placeOf(url, agentBody(n));
            told.set(n, position);
            if (told.size >= killAfter) child.process.kill('SIGKILL');
          }
        };
        const ends = await Promise.allSettled(Array.from({ length: 8 }, ask));
        // All of them end with the connection, not with a wrong answer.
        for (const end of ends) assert.ok(end.status === 'rejected' && end.reason instanceof TypeError);
        assert.equal(await child.ended(), 'SIGKILL');
      }
      const { child, url } = await serve(folder);
      for (const [n, position] of told) assert.equal((await placeOf(url, agentBody(n))).position, position);
      child.process.send('stop');
      assert.equal(await child.ended(), 0);

      const store = await openStore(folder, { readOnly: true });
      const positions = [...store.waitlist.list()].map(({ position }) => position);
      await store.close();
      assert.deepEqual(
        positions,
        Array.from({ length: positions.length }, (_, index) => index + 1),
      );
      assert.equal(new Set(told.values()).size, told.size);
      assert.ok(told.size >= 120 && positions.length >= told.size);
    });
  });

  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: takes no place while the disk is full and goes on after', function () {
    this.timeout(120_000);
    return withSmallDisk(this, async (disk) => {
      const { child, url } = await serve(disk.folder);
      assert.equal((await placeOf(url, agentBody(0))).position, 1);
      disk.fill('filler');
      let told = 1;
      let refused = await post(url, agentBody(told));
      // The look at the disk that refuses was made after an earlier write.
      for (; refused.status === 200; refused = await post(url, agentBody(told))) told += 1;
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
      assert.equal((await json(refused)).code, 'store_unavailable');
      assert.equal((await placeOf(url, agentBody(0))).position, 1);
      disk.free('filler');
      assert.deepEqual(await placeOf(url, agentBody(told)), { status: 'registered', position: told + 1 });
      child.process.send('stop');
      assert.equal(await child.ended(), 0);
    });
  });
});

async function withSmallDisk(test: Mocha.Context, use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = mountSmallDisk('tmpfs', 12);
  if (typeof disk === 'string') return test.skip();
  try {
    await use(disk);
  } finally {
    disk.unmount();
  }
}

const ascending = (a: number, b: number) => a - b;

/** The body of the answer. A bare socket, as a thousand of anything more would be slow. */
function postRaw(port: number, body: object): Promise<string> {
  const text = JSON.stringify(body);
  const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json`;
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4)));
    socket.write(`${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  });
}
