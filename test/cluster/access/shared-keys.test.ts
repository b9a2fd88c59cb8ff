import assert from 'node:assert/strict';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { shareKeys, watchKeys } from '../../../src/cluster/access/shared-keys.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { openSimulatedBus } from '../../support/bus/simulated-bus.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const rethrow = (error: unknown) => {
  throw error;
};

describe('keys that all edges know', () => {
  let under: BusUnderTest;
  beforeEach(() => {
    under = openSimulatedBus(3);
  });
  afterEach(() => under.close());

  const join = async (role: 'engine' | 'edge') => (await under.settled(under.join(role))).bus;
  const edgeKeys = async () => watchKeys((await join('edge')).shared('keys'), rethrow);

  it('are found at every edge until they are revoked, also by a later leader', async () => {
    const bus = await join('engine');
    const store = createMemoryStore();
    const registry = openKeyRegistry(shareKeys(store.keys, bus.shared('keys')), () => 5);
    const edges = [await edgeKeys(), await edgeKeys()];
    const { key, shown } = await under.settled(registry.create({ tier: 'PRO', name: '', limit: 7 }));
    await under.until('all edges know it', () => edges.every((edge) => edge.find(key) !== undefined));
    assert.equal(edges[0]?.find(key)?.limit, 7);
    assert.equal(edges[1]?.tierOf(shown.id), 'PRO');

    const next = openKeyRegistry(shareKeys(store.keys, (await join('engine')).shared('keys')), () => 6);
    await under.settled(next.revoke(shown.id));
    await under.until('all edges refuse it', () => edges.every((edge) => edge.find(key) === undefined));
    assert.equal((await edgeKeys()).find(key), undefined);
  });

  it('are kept by an edge that cannot reach the bus', async () => {
    const bus = await join('engine');
    const registry = openKeyRegistry(shareKeys(createMemoryStore().keys, bus.shared('keys')), () => 5);
    const edge = await edgeKeys();
    const { key, shown } = await under.settled(registry.create({ tier: 'PRO', name: '', limit: null }));
    await under.until('the edge knows it', () => edge.find(key) !== undefined);
    await under.stopServers();
    const revoking = registry.revoke(shown.id);
    assert.notEqual(edge.find(key), undefined);
    await under.startServers();
    await under.settled(revoking);
    await under.until('the edge refuses it', () => edge.find(key) === undefined);
  });

  it('are told by a new leader where the last one died before it could', async () => {
    const store = createMemoryStore();
    const { key } = await openKeyRegistry(store.keys, () => 5).create({ tier: 'PRO', name: '', limit: null });
    const edge = await edgeKeysAfter(shareKeys(store.keys, (await join('engine')).shared('keys')).tellAll());
    await under.until('the edge knows it', () => edge.find(key) !== undefined);
  });

  const edgeKeysAfter = async (done: Promise<void>) => {
    await under.settled(done);
    return edgeKeys();
  };

  it('stay revoked when a leader that was frozen tells of them late', async () => {
    const store = createMemoryStore();
    const late = shareKeys(store.keys, (await join('engine')).shared('keys'));
    const next = openKeyRegistry(shareKeys(store.keys, (await join('engine')).shared('keys')), () => 5);
    const { key, shown } = await under.settled(next.create({ tier: 'PRO', name: '', limit: null }));
    const [kept] = store.keys.all();
    assert.ok(kept);
    await under.settled(next.revoke(shown.id));
    await under.settled(late.put([kept]));
    const edge = await edgeKeys();
    await under.until('the edge knows all', () => edge.following.caughtUpAt !== undefined);
    assert.equal(edge.find(key), undefined);
  });
});
