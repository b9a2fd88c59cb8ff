import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Bus, ShardWriter } from '../../../src/bus/bus.ts';
import { type AccessLog, applyAccessEntry, openAccessLog } from '../../../src/cluster/access/access-log.ts';
import { shareAccess } from '../../../src/cluster/access/shared-access.ts';
import { type AccessChange, decodeAccessEntry } from '../../../src/cluster/entries/access-entry.ts';
import { StoreError } from '../../../src/errors.ts';
import type { KeptPayment, Store } from '../../../src/store/store.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { openSimulatedBus } from '../../support/bus/simulated-bus.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const entryOf = (wallet: string) =>
  ({ type: 'agent', useCase: 'a bot', name: null, wallet, email: null }) as const;

const keyOf = (id: string, revokedAt: number | null) =>
  ({
    id,
    hash: id.repeat(64).slice(0, 64),
    tier: 'PRO',
    name: '',
    limit: null,
    createdAt: 1,
    lastUsedAt: null,
    revokedAt,
  }) as const;

const paymentOf = (id: string, state: KeptPayment['state'], proof: string): KeptPayment => ({
  id,
  state,
  proof,
  resource: '/x',
  order: '{}',
  validBeforeAt: 100,
  changedAt: 1,
  nextTryAt: state === 'SETTLED' ? null : 5,
  tries: 0,
  reply: null,
  receipt: null,
  sentAt: null,
});

const anyId = fc.constantFrom('a', 'b', 'c');
const anyChange: fc.Arbitrary<AccessChange> = fc.oneof(
  fc.record({ op: fc.constant('claim' as const), entry: anyId.map(entryOf), at: fc.nat(9) }),
  fc.record({
    op: fc.constant('keys' as const),
    keys: fc.tuple(anyId, fc.constantFrom(null, 7)).map(([id, at]) => [keyOf(id, at)]),
  }),
  fc.record({
    op: fc.constantFrom('reserve' as const, 'payment' as const),
    payment: fc
      .tuple(anyId, fc.constantFrom('RESERVED' as const, 'SETTLED' as const), fc.string({ maxLength: 3 }))
      .map(([id, state, proof]) => paymentOf(id, state, proof)),
  }),
  fc.record({ op: fc.constant('release' as const), id: anyId }),
  fc.record({
    op: fc.constant('usage' as const),
    pages: fc.tuple(anyId, fc.nat(9)).map(([keyId, requests]) => [
      {
        keyId,
        span: 'hour' as const,
        index: 1,
        rows: [{ endpoint: '/x', method: 'GET', second: 0, requests, errors: 0, ms: 1, bytes: 1 }],
      },
    ]),
    errors: fc.constant([]),
    marks: fc.nat(9).map((n) => [{ edge: 'e', n, at: 1 }]),
  }),
  fc.record({
    op: fc.constant('alerts' as const),
    put: fc.array(
      fc.tuple(anyAlertPlace(), fc.string({ maxLength: 3 })).map(([place, text]) => ({ place, text })),
      { maxLength: 3 },
    ),
    remove: fc.array(anyAlertPlace(), { maxLength: 2 }),
  }),
);

function anyAlertPlace() {
  return fc.tuple(fc.constantFrom('rule' as const, 'state' as const, 'waiting' as const), anyId, fc.nat(2));
}

function contentOf({ keys, waitlist, payments, usage, alerts, notes }: Store) {
  return {
    keys: [...keys.all()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    waitlist: [...waitlist.list()],
    payments: ['a', 'b', 'c'].map((id) => payments.find(id)),
    usage: ['a', 'b', 'c'].map((id) => usage.page(id, 'hour', 1)),
    alerts: (['rule', 'state', 'waiting'] as const).map((kind) => alerts.rows(kind)),
    marks: notes.get('usageMarks'),
  };
}

describe('the log of changes to what is kept of callers', () => {
  let under: BusUnderTest;
  beforeEach(() => {
    under = openSimulatedBus(1);
  });
  afterEach(() => under.close());

  async function lead(bus: Bus, term: number, place: number): Promise<ShardWriter> {
    const shard = await under.settled(bus.shard('main'));
    const writer = await under.settled(shard.beginTerm(term, place));
    assert.ok(writer !== 'behind');
    return writer;
  }

  function openLog(
    store: Store,
    writer: ShardWriter,
    applied: (place: number) => void = () => undefined,
    broken: (error: unknown) => void = () => undefined,
  ): AccessLog {
    const append = (bytes: Uint8Array) => writer.append({ kind: 'access', bytes });
    return openAccessLog({ store, append, applied, report: () => undefined, broken, retryMs: 1 });
  }

  it('has every change on the bus before it is acknowledged, and a standby makes the same', async () => {
    const { bus } = await under.settled(under.join());
    const [leader, standby] = [createMemoryStore(), createMemoryStore()];
    const places: number[] = [];
    const writer = await lead(bus, 1, 0);
    const { keys, waitlist, payments } = shareAccess(
      leader,
      openLog(leader, writer, (place) => void places.push(place)),
    );
    const shard = await under.settled(bus.shard('main'));
    const following = shard.follow(0, ({ bytes }) => applyAccessEntry(standby, bytes));
    await under.settled(keys.put([keyOf('a', null)]));
    const claims = [entryOf('0xA'), entryOf('0xB'), entryOf('0xa')].map((entry) => waitlist.claim(entry, 3));
    assert.deepEqual(await under.settled(Promise.all(claims)), [
      { position: 1, isNew: true },
      { position: 2, isNew: true },
      { position: 1, isNew: false },
    ]);
    assert.equal(await under.settled(payments.reserve(paymentOf('a', 'RESERVED', '1'))), true);
    assert.equal(await under.settled(payments.reserve(paymentOf('a', 'RESERVED', '2'))), false);
    await under.until('the standby has all', () => following.place === writer.place);
    assert.deepEqual(contentOf(standby), contentOf(leader));
    assert.equal(standby.payments.find('a')?.proof, '1');
    assert.deepEqual(places, [2, 3, 4, 5], 'what comes at once shares an entry');
    await following.stop();
  });

  it('gives stores that are the same, also to who makes the last entries twice', async () => {
    const anyLife = fc.record({
      entries: fc.array(fc.array(anyChange, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      killedAfter: fc.nat(8),
      again: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(anyLife, async ({ entries, killedAfter, again }) => {
        const [leader, standby] = [createMemoryStore(), createMemoryStore()];
        const written: Uint8Array[] = [];
        const append = async (bytes: Uint8Array) => written.push(bytes);
        const log = openAccessLog({
          store: leader,
          append,
          applied: () => undefined,
          report: () => undefined,
        });
        for (const changes of entries) await Promise.all(changes.map((change) => log.make(change)));
        for (const bytes of written.slice(0, killedAfter)) await applyAccessEntry(standby, bytes);
        for (const bytes of written.slice(Math.max(0, killedAfter - again)))
          await applyAccessEntry(standby, bytes);
        assert.deepEqual(contentOf(standby), contentOf(leader));
        assert.equal(
          JSON.stringify(written.flatMap((bytes) => decodeAccessEntry(bytes))),
          JSON.stringify(entries.flat()),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('changes nothing once another leads', async () => {
    const [old, next] = [(await under.settled(under.join())).bus, (await under.settled(under.join())).bus];
    const store = createMemoryStore();
    const { waitlist } = shareAccess(store, openLog(store, await lead(old, 1, 0)));
    await lead(next, 2, 1);
    for (const wallet of ['0x1', '0x2']) {
      await assert.rejects(under.settled(waitlist.claim(entryOf(wallet), 1)), { code: 'BUS_FENCED' });
    }
    assert.deepEqual([...store.waitlist.list()], []);
  });

  it('waits for a disk that is full, and goes on in order', async () => {
    const { bus } = await under.settled(under.join());
    const store = createMemoryStore();
    let isFull = true;
    const full: Store = {
      ...store,
      waitlist: {
        ...store.waitlist,
        claim: async (entry, at) => {
          if (isFull) throw new StoreError('STORE_FULL', 'no space left');
          return store.waitlist.claim(entry, at);
        },
      },
    };
    const { waitlist, keys } = shareAccess(full, openLog(full, await lead(bus, 1, 0)));
    const claimed = waitlist.claim(entryOf('0x1'), 1);
    const put = keys.put([keyOf('a', null)]);
    await under.until('the key is stored', () => store.keys.all().length === 1);
    assert.deepEqual([...store.waitlist.list()], []);
    isFull = false;
    assert.deepEqual(await claimed, { position: 1, isNew: true });
    await put;
  });

  it('says that it is broken when a change that is on the bus can never be made here', async () => {
    const { bus } = await under.settled(under.join());
    const store = createMemoryStore();
    const bug = new TypeError('a bug of the store');
    const spoiled: Store = { ...store, waitlist: { ...store.waitlist, claim: () => Promise.reject(bug) } };
    const ends: unknown[] = [];
    const writer = await lead(bus, 1, 0);
    const log = openLog(
      spoiled,
      writer,
      () => undefined,
      (error) => ends.push(error),
    );
    const { waitlist, keys } = shareAccess(spoiled, log);
    await assert.rejects(under.settled(waitlist.claim(entryOf('0x1'), 1)), bug);
    await assert.rejects(under.settled(keys.put([keyOf('a', null)])), bug);
    assert.deepEqual(ends, [bug]);
  });

  it('refuses an entry that no engine wrote', async () => {
    const store = createMemoryStore();
    for (const text of ['', '[]', '[{"op":"claim"}]', '[{"op":"other"}]', '{']) {
      const bytes = Buffer.concat([Uint8Array.of(1), Buffer.from(text)]);
      await assert.rejects(applyAccessEntry(store, bytes), { code: 'BUS_DAMAGED' });
    }
    await assert.rejects(applyAccessEntry(store, Buffer.from('\u0002[]')), { code: 'BUS_LAYOUT' });
  });
});
