import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createUsageTracking } from '../../../src/access/usage/tracking.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import { realTime } from '../../../src/bus/time.ts';
import { answerCommands } from '../../../src/cluster/commands/answer-commands.ts';
import { keepsCallers } from '../../../src/cluster/commands/callers-shard.ts';
import { type EdgeCallers, openEdgeCallers } from '../../../src/cluster/commands/edge-callers.ts';
import { type LedCallers, leadCallers } from '../../../src/cluster/commands/lead-callers.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../../support/bus/nats-server.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const LIMIT = 40;
const rethrow = (error: unknown) => {
  throw error;
};

describe('callers of a cluster on NATS', () => {
  let server: NatsServer;
  const buses: Bus[] = [];
  let led: LedCallers;
  let edges: readonly EdgeCallers[];

  before(async function () {
    this.timeout(60_000);
    requireNatsServer(this);
    server = await createNatsServer();
    await server.start();
    const join = async (role: 'engine' | 'edge', name: string) => {
      const bus = await openNatsBus({
        servers: server.url,
        env: {},
        name,
        role: role === 'engine' ? { type: 'engine', replicas: 1 } : { type: 'edge' },
        report: () => undefined,
      });
      buses.push(bus);
      return bus;
    };
    const bus = await join('engine', 'engine');
    const writer = await (await bus.shard('main')).beginTerm(1, 0);
    assert.ok(writer !== 'behind');
    assert.ok(await keepsCallers(bus.shared('callers'), 'main', undefined));
    const clock = { wall: Date.now, mono: () => performance.now() };
    led = await leadCallers({
      bus,
      store: createMemoryStore(),
      append: (bytes) => writer.append({ kind: 'access', bytes }),
      applied: () => undefined,
      time: realTime,
      clock,
      openPayments: async () => undefined,
      openUsage: (store) => createUsageTracking({ store, now: Date.now, retentionDays: 90, report: rethrow }),
      report: rethrow,
    });
    const answer = async (path: string) => ({ status: 200, headers: {}, body: path.repeat(100_000) });
    answerCommands({ bus, shard: 'main', time: realTime, now: Date.now, answer, callers: led });
    edges = await Promise.all(
      ['one', 'two'].map(async (edge) =>
        openEdgeCallers({
          bus: await join('edge', edge),
          edge,
          time: realTime,
          wall: Date.now,
          newId: randomUUID,
          report: () => undefined,
          signal: new AbortController().signal,
        }),
      ),
    );
  });

  after(async function () {
    this.timeout(60_000);
    await Promise.all((edges ?? []).map((edge) => edge.close()));
    await led?.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    await server?.remove();
  });

  it('have one place each, whichever edge they ask', async () => {
    const claims = Array.from({ length: 20 }, (_, index) => {
      const edge = edges[index % 2] ?? assert.fail();
      const wallet = `0x${index % 5}`;
      return edge.waitlist.claim({ type: 'human', useCase: 'x', name: null, wallet, email: null }, 0);
    });
    const places = await Promise.all(claims);
    assert.equal(places.filter(({ isNew }) => isNew).length, 5);
    assert.deepEqual(new Set(places.map(({ position }) => position)), new Set([1, 2, 3, 4, 5]));
  });

  it('get their limit over both edges together, and no more', async () => {
    await eventually('both edges are served', () => edges.every((edge) => edge.status() === 'served'));
    let admitted = 0;
    for (let round = 0; round < LIMIT; round++) {
      // On a machine that is too busy the engine may not answer in time.
      const asked = edges.map(async ({ counting }) =>
        counting.charge(counting.ofKey('one'), Date.now(), LIMIT),
      );
      for (const each of await Promise.allSettled(asked)) {
        if (each.status === 'fulfilled' && each.value) admitted += 1;
        if (each.status === 'rejected') assert.equal(each.reason.code, 'engine_unavailable');
      }
    }
    assert.ok(admitted <= LIMIT, `${admitted} calls, the limit is ${LIMIT}`);
  });

  it('are refused everywhere once their key is revoked', async () => {
    const { key, shown } = await led.registry.create({ tier: 'PRO', name: '', limit: null });
    await eventually('both edges know it', () => edges.every((edge) => edge.keys.find(key) !== undefined));
    await led.registry.revoke(shown.id);
    await eventually('both edges refuse it', () => edges.every((edge) => edge.keys.find(key) === undefined));
  });

  it('have large answers of the engine, and their usage counted', async () => {
    const call = { query: '', keyId: null, ifNoneMatch: undefined };
    const { body } = await (edges[0] ?? assert.fail()).forward('main', '/something', call, 'PRO');
    assert.equal(body.length, 1_000_000);
    for (const edge of edges) {
      edge.recorder.record('/x', 'GET', 200, 1, 10, 'key');
      await edge.recorder.flush();
    }
    const now = Math.floor(Date.now() / 1_000);
    assert.equal(led.tracking.sum('key', now - 100, now + 2).rows[0]?.requests, 2);
  });
});
