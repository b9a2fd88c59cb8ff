import assert from 'node:assert/strict';
import { InvalidRequest } from '../../../src/contract/validation/validate.ts';
import { RequestError } from '../../../src/errors.ts';
import { type CallersWorld, openCallersWorld } from '../../support/callers-world.ts';

const entryOf = (wallet: string) =>
  ({ type: 'agent', useCase: 'a bot', name: null, wallet, email: null }) as const;

const CALL = { query: 'limit=5', keyId: 'abc', ifNoneMatch: '"x"' };

describe('commands to the leading engine', () => {
  let world: CallersWorld;
  afterEach(() => world.close());

  it('give a wallet one place over all edges and a new leader', async () => {
    world = await openCallersWorld({ seed: 1 });
    const [first, second] = [await world.standby(), await world.standby()];
    await world.lead(first);
    const edges = [await world.edge('e1'), await world.edge('e2')];
    const claim = (edge: number, wallet: string) =>
      edges[edge]?.callers.waitlist.claim(entryOf(wallet), 0) ?? assert.fail();
    const wallets = ['0xa', '0xb', '0xc'];
    const before = await world.settled(
      Promise.all(wallets.flatMap((wallet) => [claim(0, wallet), claim(1, wallet)])),
    );
    assert.deepEqual(before.map(({ position }) => position).sort(), [1, 1, 2, 2, 3, 3]);
    assert.equal(before.filter(({ isNew }) => isNew).length, 3);

    // Some are under way when the engine dies: they have a place, or were told to come again.
    const dying = ['0xd', '0xe', '0xA'].map((wallet) => claim(0, wallet));
    await world.time.advance(4);
    first.node.kill();
    const told = Promise.allSettled(dying);
    await world.lead(second);
    for (const each of await world.settled(told)) {
      if (each.status === 'rejected') assert.equal(each.reason.code, 'engine_unavailable');
    }
    const after = await world.settled(Promise.all(['0xA', '0xd', '0xe'].map((wallet) => claim(1, wallet))));
    assert.deepEqual(
      after.map(({ position }) => position),
      [before[0]?.position, after[1]?.position, after[2]?.position],
    );
    for (const [index, each] of (await told).entries()) {
      const again = [after[1], after[2], after[0]][index];
      if (each.status === 'fulfilled') assert.equal(each.value.position, again?.position);
    }
    assert.deepEqual(
      [...second.store.waitlist.list()].map(({ position }) => position),
      [1, 2, 3, 4, 5],
    );
  });

  it('are answered 503 while there is no engine', async () => {
    world = await openCallersWorld({ seed: 2 });
    const engine = await world.standby();
    await world.lead(engine);
    const { callers } = await world.edge('e1');
    engine.node.kill();
    const isRefused = (error: unknown) =>
      error instanceof RequestError &&
      error.status === 503 &&
      error.code === 'engine_unavailable' &&
      Number(error.headers['Retry-After']) > 0;
    await assert.rejects(world.settled(callers.waitlist.claim(entryOf('0x1'), 0)), isRefused);
    await assert.rejects(world.settled(callers.forward('main', '/x', CALL, 'PRO')), isRefused);
  });

  it('are answered 503 by an engine that does not know yet that its term is over', async () => {
    world = await openCallersWorld({ seed: 5 });
    const [first, second] = [await world.standby(), await world.standby()];
    await world.lead(first);
    const { callers } = await world.edge('e1');
    first.node.freeze();
    await world.lead(second);
    first.node.resume();
    // Either one may be asked.
    const claims = Array.from({ length: 20 }, (_, n) => callers.waitlist.claim(entryOf(`0x${n}`), 0));
    const told = await world.settled(Promise.allSettled(claims));
    const refusals = told.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.ok(refusals.length > 0 && refusals.length < claims.length);
    for (const error of refusals) {
      assert.ok(error instanceof RequestError, String(error));
      assert.deepEqual([error.status, error.code], [503, 'engine_unavailable']);
    }
  });

  it('count usage once, whatever is lost and whoever leads', async () => {
    world = await openCallersWorld({ seed: 3 });
    const [first, second] = [await world.standby(), await world.standby()];
    await world.lead(first);
    const edges = [await world.edge('e1'), await world.edge('e2')];
    let recorded = 0;
    const record = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        for (const { callers } of edges) {
          callers.recorder.record('/x', 'GET', 200, 1, 10, 'key');
          callers.recorder.record('/x', 'GET', 404, 1, 10, null, 'Not Found');
          recorded += 1;
        }
        const flushed = Promise.all(edges.map(({ callers }) => callers.recorder.flush()));
        await world.settled(flushed);
      }
    };
    world.cluster.setFaults({ lostAnswer: 0.3 });
    await record(5);
    first.node.kill();
    await record(2);
    await world.lead(second);
    await record(5);
    world.cluster.setFaults({});
    await record(1);
    const now = Math.floor(world.wall() / 1_000);
    const { tracking } = second.callers ?? assert.fail();
    const sum = (keyId: string) => tracking.sum(keyId, now - 3_600, now + 60).rows;
    assert.deepEqual(
      sum('key').map(({ requests, errors, bytes }) => [requests, errors, bytes]),
      [[recorded, 0, 10 * recorded]],
    );
    assert.deepEqual(
      sum('anonymous').map(({ requests, errors }) => [requests, errors]),
      [[recorded, recorded]],
    );
    assert.equal(tracking.errors('anonymous', 1_000).length, recorded);
  });

  it('have what an edge does not keep answered, with refusals as they are', async () => {
    let isSlow = true;
    world = await openCallersWorld({
      seed: 4,
      async answer(path) {
        if (path === '/refused') throw new RequestError(401, 'key_missing', 'no', { A: 'b' }, { c: 1 });
        if (path === '/invalid')
          throw new InvalidRequest([{ loc: ['query', 'as_of'], msg: 'no', type: 't' }]);
        while (path === '/slow' && isSlow)
          await new Promise((resolve) => world.time.after(500, () => resolve(0)));
        return { status: 200, headers: { ETag: '"1"' }, body: 'x'.repeat(300_000) };
      },
    });
    await world.lead(await world.standby());
    const { callers } = await world.edge('e1');
    const ask = (path: string) => callers.forward('main', path, CALL, 'PRO');
    const { status, headers, body } = await world.settled(ask('/x'));
    assert.deepEqual([status, headers, body.length], [200, { ETag: '"1"' }, 300_000]);
    await assert.rejects(world.settled(ask('/refused')), {
      status: 401,
      code: 'key_missing',
      message: 'no',
      headers: { A: 'b' },
      fields: { c: 1 },
    });
    await assert.rejects(world.settled(ask('/invalid')), {
      status: 422,
      faults: [{ loc: ['query', 'as_of'], msg: 'no', type: 't' }],
    });
    const slow = ask('/slow');
    await world.time.advance(5_000);
    isSlow = false;
    assert.equal((await world.settled(slow)).status, 200);
  });

  it('take a revoked key from every edge', async () => {
    world = await openCallersWorld({ seed: 5 });
    const [first, second] = [await world.standby(), await world.standby()];
    await world.lead(first);
    const edges = [await world.edge('e1'), await world.edge('e2')];
    const { registry } = first.callers ?? assert.fail();
    const { key, shown } = await world.settled(registry.create({ tier: 'PRO', name: 'a', limit: null }));
    const isKnown = () => edges.map(({ callers }) => callers.keys.find(key) !== undefined);
    await world.until('both edges know it', () => isKnown().every(Boolean));
    first.node.kill();
    await world.lead(second);
    assert.deepEqual(
      second.callers?.registry.list().map(({ id }) => id),
      [shown.id],
      'a new leader has the keys',
    );
    await world.settled(second.callers?.registry.revoke(shown.id) ?? assert.fail());
    const from = world.time.mono();
    await world.until('no edge knows it', () => !isKnown().some(Boolean));
    assert.ok(world.time.mono() - from <= 1_000);
  });
});
