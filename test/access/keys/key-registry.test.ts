import assert from 'node:assert/strict';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { mintKey } from '../../../src/access/keys/key-text.ts';
import { ServiceError } from '../../../src/errors.ts';
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

  it('lets in with the key it made, and after a restart too', async () => {
    const book = open();
    const { key, shown } = await book.create(wanted);
    for (const each of [book, open()]) {
      const holder = each.find(key);
      assert.deepEqual([holder?.id, holder?.tier, holder?.limit], [shown.id, 'PRO', 50]);
      assert.equal(each.find(key), holder);
    }
  });

  it('keeps and shows nothing a key could be made of', async () => {
    const book = open();
    const { key, shown } = await book.create(wanted);
    assert.ok(!JSON.stringify(store.all()).includes(key.slice(7)));
    assert.ok(!JSON.stringify(book.list()).includes(key.slice(7)));
    assert.deepEqual(book.list(), [shown]);
    assert.ok(!('hash' in shown));
  });

  it('knows no other key, well formed or not', async () => {
    const book = open();
    const { key } = await book.create(wanted);
    for (const text of [mintKey('PRO'), 'demo_pro', '', key.slice(0, -1), `${key} `, '__proto__']) {
      assert.equal(book.find(text), undefined);
    }
  });

  it('refuses a revoked key at once, and after a restart', async () => {
    const book = open();
    const { key, shown } = await book.create(wanted);
    assert.ok(book.find(key));
    now += 5;
    assert.equal((await book.revoke(shown.id)).revokedAt, now);
    assert.equal(book.find(key), undefined);
    assert.equal(open().find(key), undefined);
    now += 5;
    assert.equal((await book.revoke(shown.id)).revokedAt, NOON + 5);
  });

  it('refuses a revoked key even when the disk takes no writes', async () => {
    const book = open();
    const { key, shown } = await book.create(wanted);
    store.put = () => Promise.reject(new Error('full'));
    await assert.rejects(book.revoke(shown.id), /full/);
    assert.equal(book.find(key), undefined);
  });

  it('gives out no key that is not kept', async () => {
    const book = open();
    store.put = () => Promise.reject(new Error('full'));
    await assert.rejects(book.create(wanted), /full/);
    assert.deepEqual(book.list(), []);
  });

  it('rotates into a key of the same settings, with the old one valid until told otherwise', async () => {
    const book = open();
    const first = await book.create(wanted);
    now += 1;
    const second = await book.rotate(first.shown.id, false);
    assert.ok(book.find(first.key) && book.find(second.key));
    assert.deepEqual(
      [second.shown.tier, second.shown.name, second.shown.limit, second.shown.createdAt],
      ['PRO', 'a bot', 50, NOON + 1],
    );
    const third = await book.rotate(second.shown.id, true);
    assert.equal(book.find(second.key), undefined);
    assert.ok(book.find(third.key) && book.find(first.key));
    const refused = (error: unknown) => error instanceof ServiceError && error.code === 'KEY_REVOKED';
    await assert.rejects(book.rotate(second.shown.id, false), refused);
  });

  it('says so when an id is not known', async () => {
    const unknown = (error: unknown) => error instanceof ServiceError && error.code === 'KEY_UNKNOWN';
    await assert.rejects(open().revoke('nobody'), unknown);
    await assert.rejects(open().rotate('nobody', true), unknown);
  });

  it('stores times of last use when told to, and only those that changed', async () => {
    const book = open();
    const { key, shown } = await book.create(wanted);
    await book.create(wanted);
    const writes: (readonly KeptKey[])[] = [];
    const { put } = store;
    store.put = (keys) => {
      writes.push(keys);
      return put(keys);
    };
    await book.flush();
    const holder = book.find(key);
    assert.ok(holder);
    holder.lastUsedAt = NOON + 7;
    assert.equal(book.list().find(({ id }) => id === shown.id)?.lastUsedAt, NOON + 7);
    await book.flush();
    await book.flush();
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
    const book = open();
    const { key, shown } = await book.create(wanted);
    const holder = book.find(key);
    assert.ok(holder);
    holder.lastUsedAt = NOON + 9;
    assert.equal((await book.revoke(shown.id)).lastUsedAt, NOON + 9);
  });
});
