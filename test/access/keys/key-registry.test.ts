import assert from 'node:assert/strict';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { mintKey } from '../../../src/access/keys/key-text.ts';
import { ServiceError, StoreError } from '../../../src/errors.ts';
import type { KeptKey, Keys } from '../../../src/store/store.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('openKeyRegistry', () => {
  const wanted = { tier: 'PRO', name: 'a bot', limit: 50 } as const;
  let store: Keys;
  let now: number;
  const open = () => openKeyRegistry(store, () => now);
  beforeEach(() => {
    store = createMemoryStore().keys;
    now = NOON;
  });

  it('finds the holder of a key it made, also after a restart', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    for (const each of [registry, open()]) {
      const holder = each.find(key);
      assert.deepEqual([holder?.id, holder?.tier, holder?.limit], [shown.id, 'PRO', 50]);
      assert.equal(each.find(key), holder);
    }
  });

  it('neither stores nor lists anything a key could be made from', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    assert.ok(!JSON.stringify(store.all()).includes(key.slice(7)));
    assert.ok(!JSON.stringify(registry.list()).includes(key.slice(7)));
    assert.deepEqual(registry.list(), [shown]);
    assert.ok(!('hash' in shown));
  });

  it('finds no other key, well formed or not', async () => {
    const registry = open();
    const { key } = await registry.create(wanted);
    for (const text of [mintKey('PRO'), 'demo_pro', '', key.slice(0, -1), `${key} `, '__proto__']) {
      assert.equal(registry.find(text), undefined);
    }
  });

  it('refuses a revoked key at once, and after a restart', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    assert.ok(registry.find(key));
    now += 5;
    assert.equal((await registry.revoke(shown.id)).revokedAt, now);
    assert.equal(registry.find(key), undefined);
    assert.equal(open().find(key), undefined);
    now += 5;
    assert.equal((await registry.revoke(shown.id)).revokedAt, NOON + 5);
  });

  it('refuses a revoked key even when the disk takes no writes', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    store.put = () => Promise.reject(new Error('full'));
    await assert.rejects(registry.revoke(shown.id), /full/);
    assert.equal(registry.find(key), undefined);
  });

  it('gives out no key that is not stored', async () => {
    const registry = open();
    store.put = () => Promise.reject(new Error('full'));
    await assert.rejects(registry.create(wanted), /full/);
    assert.deepEqual(registry.list(), []);
  });

  it('rotates into a key of the same settings, and keeps the old one valid unless asked', async () => {
    const registry = open();
    const first = await registry.create(wanted);
    now += 1;
    const second = await registry.rotate(first.shown.id, false);
    assert.ok(registry.find(first.key) && registry.find(second.key));
    assert.deepEqual(
      [second.shown.tier, second.shown.name, second.shown.limit, second.shown.createdAt],
      ['PRO', 'a bot', 50, NOON + 1],
    );
    const third = await registry.rotate(second.shown.id, true);
    assert.equal(registry.find(second.key), undefined);
    assert.ok(registry.find(third.key) && registry.find(first.key));
    const refused = (error: unknown) => error instanceof ServiceError && error.code === 'KEY_REVOKED';
    await assert.rejects(registry.rotate(second.shown.id, false), refused);
  });

  it('rejects an unknown id', async () => {
    const unknown = (error: unknown) => error instanceof ServiceError && error.code === 'KEY_UNKNOWN';
    await assert.rejects(open().revoke('nobody'), unknown);
    await assert.rejects(open().rotate('nobody', true), unknown);
  });

  it('stores times of last use that the disk refused with the next ones, whatever was revoked meanwhile', async () => {
    const registry = open();
    const [used, revoked] = [await registry.create(wanted), await registry.create(wanted)];
    const { put } = store;
    store.put = () => Promise.reject(new StoreError('STORE_FULL', 'no space left'));
    for (const { shown } of [used, revoked]) registry.used(shown.id, NOON + 7);
    const flushed = registry.flush();
    store.put = put;
    await registry.revoke(revoked.shown.id);
    await assert.rejects(flushed, { code: 'STORE_FULL' });
    await registry.flush();
    const byId = new Map(store.all().map((key) => [key.id, [key.lastUsedAt, key.revokedAt]]));
    assert.deepEqual(byId.get(used.shown.id), [NOON + 7, null]);
    assert.deepEqual(byId.get(revoked.shown.id), [NOON + 7, NOON]);
  });

  it('stores only the times of last use that changed', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    await registry.create(wanted);
    const writes: (readonly KeptKey[])[] = [];
    const { put } = store;
    store.put = (keys) => {
      writes.push(keys);
      return put(keys);
    };
    await registry.flush();
    const holder = registry.find(key);
    assert.ok(holder);
    holder.lastUsedAt = NOON + 7;
    assert.equal(registry.list().find(({ id }) => id === shown.id)?.lastUsedAt, NOON + 7);
    await registry.flush();
    await registry.flush();
    assert.deepEqual(
      writes.map((keys) => keys.map(({ id, lastUsedAt }) => [id, lastUsedAt])),
      [[[shown.id, NOON + 7]]],
    );
    assert.equal(
      open()
        .list()
        .find(({ id }) => id === shown.id)?.lastUsedAt,
      NOON + 7,
    );
  });

  it('keeps a time of last use when the key is revoked', async () => {
    const registry = open();
    const { key, shown } = await registry.create(wanted);
    const holder = registry.find(key);
    assert.ok(holder);
    holder.lastUsedAt = NOON + 9;
    assert.equal((await registry.revoke(shown.id)).lastUsedAt, NOON + 9);
  });
});
