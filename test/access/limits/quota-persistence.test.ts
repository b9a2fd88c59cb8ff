import assert from 'node:assert/strict';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { startQuotaPersistence, steadyClock } from '../../../src/access/limits/quota-persistence.ts';
import { createQuotas } from '../../../src/access/limits/quotas.ts';
import { minuteOf } from '../../../src/access/limits/sliding-hour.ts';
import { manualClock } from '../../support/clock.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('startQuotaPersistence', () => {
  const store = () => createMemoryStore();
  const failed = (error: unknown) => assert.fail(String(error));
  const open = (
    { hours, keys }: ReturnType<typeof store>,
    now: () => number,
    report: (error: unknown) => void = failed,
  ) => {
    const quotas = createQuotas();
    const book = openKeyRegistry(keys, now);
    return { quotas, book, keeping: startQuotaPersistence({ quotas, hours, book, now, report }) };
  };
  const call = (quotas: ReturnType<typeof createQuotas>, nowMs: number) =>
    quotas.charge(quotas.ofAddress('a', minuteOf(nowMs)), minuteOf(nowMs), 100);

  it('gives the next process what this one counted', async () => {
    const kept = store();
    const first = open(kept, () => NOON);
    call(first.quotas, NOON);
    call(first.quotas, NOON);
    await first.keeping.stop();
    const second = open(kept, () => NOON + 60_000);
    assert.equal(second.quotas.ofAddress('a', minuteOf(NOON)).used, 2);
    await second.keeping.stop();
  });

  it('tries again what could not be written, and tells of it once', async () => {
    const kept = store();
    const told: unknown[] = [];
    const { quotas, keeping } = open(
      kept,
      () => NOON,
      (error) => told.push(error),
    );
    const { write } = kept.hours;
    kept.hours.write = () => Promise.reject(new Error('full'));
    call(quotas, NOON);
    await keeping.flush();
    call(quotas, NOON);
    await keeping.flush();
    assert.equal(told.length, 1);
    kept.hours.write = write;
    await keeping.stop();
    assert.deepEqual(kept.hours.all(), [{ caller: 'a:a', minutes: [[minuteOf(NOON), 2]] }]);
  });

  it('stores the last use of keys each minute and at the end', async () => {
    const kept = store();
    let now = NOON;
    const { book, keeping } = open(kept, () => now);
    const holder = book.find((await book.create({ tier: 'FREE', name: '', limit: null })).key);
    assert.ok(holder);
    const lastUsed = () => kept.keys.all()[0]?.lastUsedAt;
    holder.lastUsedAt = NOON + 1;
    await keeping.flush();
    assert.equal(lastUsed(), null);
    now = NOON + 60_000;
    await keeping.flush();
    assert.equal(lastUsed(), NOON + 1);
    holder.lastUsedAt = NOON + 2;
    await keeping.stop();
    assert.equal(lastUsed(), NOON + 2);
  });
});

describe('steadyClock', () => {
  it('goes on through steps of the calendar', () => {
    const clock = manualClock(NOON);
    const now = steadyClock(clock);
    clock.advance(1_000);
    clock.step(-86_400_000);
    clock.advance(500);
    clock.step(3_600_000);
    assert.equal(now(), NOON + 1_500);
  });
});
