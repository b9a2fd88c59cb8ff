import assert from 'node:assert/strict';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { startQuotaPersistence } from '../../../src/access/limits/quota-persistence.ts';
import { createQuotas } from '../../../src/access/limits/quotas.ts';
import { minuteOf } from '../../../src/access/limits/sliding-hour.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('startQuotaPersistence', () => {
  const failed = (error: unknown) => assert.fail(String(error));
  const open = (
    { hours, keys }: ReturnType<typeof createMemoryStore>,
    now: () => number,
    report: (error: unknown) => void = failed,
  ) => {
    const quotas = createQuotas();
    const registry = openKeyRegistry(keys, now);
    const persistence = startQuotaPersistence({ quotas, hours, keys: registry, now, report });
    return { quotas, registry, persistence };
  };
  const call = (quotas: ReturnType<typeof createQuotas>, nowMs: number) =>
    quotas.charge(quotas.ofAddress('a', minuteOf(nowMs)), minuteOf(nowMs), 100);

  it('gives the next process what this one counted', async () => {
    const stored = createMemoryStore();
    const first = open(stored, () => NOON);
    call(first.quotas, NOON);
    call(first.quotas, NOON);
    await first.persistence.stop();
    const second = open(stored, () => NOON + 60_000);
    assert.equal(second.quotas.ofAddress('a', minuteOf(NOON)).used, 2);
    await second.persistence.stop();
  });

  it('tries again what could not be written, and reports it once', async () => {
    const stored = createMemoryStore();
    const reported: unknown[] = [];
    const { quotas, persistence } = open(
      stored,
      () => NOON,
      (error) => reported.push(error),
    );
    const { write } = stored.hours;
    stored.hours.write = () => Promise.reject(new Error('full'));
    call(quotas, NOON);
    await persistence.flush();
    call(quotas, NOON);
    await persistence.flush();
    assert.equal(reported.length, 1);
    stored.hours.write = write;
    await persistence.stop();
    assert.deepEqual(stored.hours.all(), [{ caller: 'a:a', minutes: [[minuteOf(NOON), 2]] }]);
  });

  it('stores the last use of keys each minute and at the end', async () => {
    const stored = createMemoryStore();
    let now = NOON;
    const { registry, persistence } = open(stored, () => now);
    const holder = registry.find((await registry.create({ tier: 'FREE', name: '', limit: null })).key);
    assert.ok(holder);
    const lastUsed = () => stored.keys.all()[0]?.lastUsedAt;
    holder.lastUsedAt = NOON + 1;
    await persistence.flush();
    assert.equal(lastUsed(), null);
    now = NOON + 60_000;
    await persistence.flush();
    assert.equal(lastUsed(), NOON + 1);
    holder.lastUsedAt = NOON + 2;
    await persistence.stop();
    assert.equal(lastUsed(), NOON + 2);
  });
});
