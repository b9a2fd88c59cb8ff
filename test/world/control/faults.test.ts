import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import {
  createFaults,
  type FaultRule,
  withOddPrices,
  withShortLists,
  wrongTypes,
} from '../../../src/world/control/faults.ts';
import { at, list, openTestWorld, type TestWorld } from '../open.ts';

const RULE: FaultRule = {
  role: 'oracle',
  kind: 'status',
  times: 2,
  status: 500,
  retryAfter: null,
  delayMs: 0,
  bytes: 1,
  contains: '',
};

describe('createFaults', () => {
  it('fails the next requests of its role, then no more', () => {
    const faults = createFaults();
    faults.add(RULE);
    assert.equal(faults.take('market', '/'), undefined);
    assert.deepEqual(
      [faults.take('oracle', '/'), faults.take('oracle', '/'), faults.take('oracle', '/')],
      [RULE, RULE, undefined],
    );
  });

  it('lasts until cleared without a number, and fits only paths that hold its text', () => {
    const faults = createFaults();
    faults.add({ ...RULE, times: null, contains: 'stats' });
    for (let index = 0; index < 5; index++) assert.ok(faults.take('oracle', '/x?stats') !== undefined);
    assert.equal(faults.take('oracle', '/x'), undefined);
    faults.clear('market');
    assert.equal(faults.list().length, 1);
    faults.clear('oracle');
    assert.deepEqual(faults.list(), []);
  });
});

describe('wrongTypes', () => {
  it('exchanges numbers and texts and turns inner lists into objects', () => {
    assert.deepEqual(wrongTypes({ total: 3, name: 'four', rows: [1], none: null }), {
      total: 'x3',
      name: 4,
      rows: { items: ['x1'] },
      none: null,
    });
  });
});

describe('withOddPrices', () => {
  it('replaces prices and nothing else, and keeps texts texts', () => {
    const odd = withOddPrices([{ asks: [{ price: '0.4', size: '7' }], bestBid: 0.3, id: 4 }]);
    assert.deepEqual(odd, [{ asks: [{ price: '-0.25', size: '7' }], bestBid: 1.7, id: 4 }]);
  });
});

describe('withShortLists', () => {
  it('leaves half of the outermost lists, or nothing of them', () => {
    const body = { data: [1, 2, 3], meta: { inner: [1, 2] } };
    assert.deepEqual(withShortLists(body, 'short'), { ...body, data: [1] });
    assert.deepEqual(withShortLists(body, 'empty'), { ...body, data: [] });
    assert.deepEqual(withShortLists([1, 2], 'short'), [1]);
  });
});

describe('a faulty role', () => {
  let test: TestWorld;
  let url: string;
  beforeEach(async () => {
    test = await openTestWorld();
    url = `${test.world.addresses.oracle}/trackings?activeOnly=true`;
  });
  afterEach(() => test.world.close());

  it('answers a status with the header it was given, whatever its value', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'status', status: 429, retryAfter: '-5', times: 1 });
    const reply = await test.get(url);
    assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '-5']);
    assert.equal(at(reply.json, 'success'), false);
    assert.equal((await test.get(url)).status, 200);
  });

  it('answers a page with status 200', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'html' });
    const reply = await test.get(url);
    assert.equal(reply.status, 200);
    assert.match(String(reply.headers.get('content-type')), /html/);
    assert.ok(reply.text.startsWith('<!doctype html>'));
  });

  it('cuts its JSON in half', async () => {
    const whole = await test.get(url);
    test.world.control.fault({ role: 'oracle', kind: 'truncated' });
    const half = await test.get(url);
    assert.equal(half.json, undefined);
    assert.ok(whole.text.startsWith(half.text));
  });

  it('mixes up its types', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'wrong-types' });
    assert.equal(at((await test.get(url)).json, 'success'), 'xtrue');
  });

  it('puts an odd element in front of its lists and leaves the rest as it is', async () => {
    const market = `${test.world.addresses.market}/events/keyset?limit=3`;
    const whole = (await test.get(market)).json;
    const tags = (await test.get(`${test.world.addresses.market}/tags`)).json;
    test.world.control.fault({ role: 'market', kind: 'odd-element' });
    const odd = (await test.get(market)).json;
    assert.equal(at(odd, 'events', 0, 'title'), null);
    assert.deepEqual(list(odd, 'events').slice(1), list(whole, 'events'));
    assert.equal(at(odd, 'next_cursor'), at(whole, 'next_cursor'));
    assert.deepEqual(list((await test.get(`${test.world.addresses.market}/tags`)).json).slice(1), tags);
  });

  it('is slow', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'slow', delayMs: 60 });
    const begun = performance.now();
    assert.equal((await test.get(url)).status, 200);
    assert.ok(performance.now() - begun >= 58);
  });

  it('hangs until the caller gives up', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'hang' });
    await assert.rejects(test.get(url, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    assert.equal((await test.get(`${test.world.addresses.market}/tags`)).status, 200);
  });

  it('breaks the connection inside a body', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'reset' });
    await assert.rejects(test.get(url));
  });

  it('breaks the connection before a byte', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'refuse' });
    await assert.rejects(test.get(url));
  });

  it('drips its body, whole in the end', async () => {
    const whole = await test.get(url);
    test.world.control.fault({ role: 'oracle', kind: 'drip', delayMs: 1 });
    assert.equal((await test.get(url)).text, whole.text);
  });

  it('answers each path as it first did', async () => {
    const { world, clock } = test;
    const timeline = `/2/users/${world.addresses.accounts[0]?.userId}/tweets`;
    world.control.fault({ role: 'posts', kind: 'old', times: 2 });
    const first = await test.posts(timeline);
    world.control.post({ account: 'a' });
    clock.at += 1;
    assert.equal((await test.posts(timeline)).text, first.text);
    assert.notEqual((await test.posts(timeline)).text, first.text);
  });

  it('sends a body as long as the rule asks for', async () => {
    test.world.control.fault({ role: 'oracle', kind: 'huge', bytes: 1_000_000 });
    const reply = await test.get(url);
    assert.ok(reply.text.length >= 1_000_000 && Array.isArray(reply.json));
  });

  it('refuses or ignores a handshake', async () => {
    test.world.control.fault({ role: 'bookSocket', kind: 'status', status: 503, times: 1 });
    const refused = new WebSocket(test.world.addresses.bookSocket);
    const [error] = await once(refused, 'error');
    assert.match(String(error), /503/);
    test.world.control.fault({ role: 'bookSocket', kind: 'hang', times: 1 });
    const ignored = new WebSocket(test.world.addresses.bookSocket, { handshakeTimeout: 50 });
    assert.match(String((await once(ignored, 'error'))[0]), /timed out/);
    const accepted = new WebSocket(test.world.addresses.bookSocket);
    await once(accepted, 'open');
    accepted.terminate();
  });
});
