import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createUsageTracking, type UsageTracking } from '../../../src/access/usage/tracking.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import type { UsageRow, UsageStore } from '../../../src/store/store.ts';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import { withFolder } from '../../support/store-records.ts';

const NOW = 20_000 * DAY_MS + 12 * HOUR_MS + 1_234;

interface Tracked {
  readonly tracking: UsageTracking;
  readonly clock: { now: number };
  readonly reported: unknown[];
  readonly store: UsageStore;
}

/** Every write is refused while `fails` is true. */
function track(
  store: UsageStore = createMemoryStore().usage,
  { retentionDays = 90, capacity = 1_000, fails = (): boolean => false } = {},
): Tracked {
  const clock = { now: NOW };
  const reported: unknown[] = [];
  const faulty: UsageStore = {
    ...store,
    async write(pages, errors) {
      if (fails()) throw new RangeError('the disk is full');
      await store.write(pages, errors);
    },
  };
  const report = (error: unknown) => reported.push(error);
  const tracking = createUsageTracking({
    store: faulty,
    now: () => clock.now,
    retentionDays,
    report,
    capacity,
  });
  return { tracking, clock, reported, store };
}

const total = (rows: readonly UsageRow[]) => rows.reduce((sum, { requests }) => sum + requests, 0);

describe('createUsageTracking', () => {
  it('sums requests, errors, time and bytes per endpoint and method, busiest first', () => {
    const { tracking } = track();
    tracking.record('/a', 'GET', 200, 2, 100, 'k');
    tracking.record('/b', 'GET', 200, 1, 10, 'k');
    tracking.record('/b', 'GET', 399, 1, 10, 'k');
    tracking.record('/b', 'GET', 400, 4, 30, 'k', 'bad');
    tracking.record('/b', 'POST', 500, 8, 5, 'k', 'worse');
    tracking.record('/b', 'GET', 200, 1, 10, 'other');
    tracking.record('/b', 'GET', 200, 1, 10, null);
    assert.deepEqual(tracking.sum('k', NOW - 1, NOW + 1).rows, [
      { endpoint: '/b', method: 'GET', requests: 3, errors: 1, ms: 6, bytes: 50 },
      { endpoint: '/a', method: 'GET', requests: 1, errors: 0, ms: 2, bytes: 100 },
      { endpoint: '/b', method: 'POST', requests: 1, errors: 1, ms: 8, bytes: 5 },
    ]);
    assert.equal(total(tracking.sum('other', 0, NOW).rows), 1);
    assert.equal(total(tracking.sum('anonymous', 0, NOW).rows), 1);
  });

  it('agrees with a recount over any hours, whatever was flushed, failed or reopened between', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            agoHours: fc.integer({ min: 0, max: 80 }),
            keyId: fc.constantFrom('k', 'l', null),
            endpoint: fc.constantFrom('/a', '/b'),
            status: fc.constantFrom(200, 404),
            next: fc.constantFrom('go on', 'go on', 'flush', 'fail', 'reopen'),
          }),
          { maxLength: 40 },
        ),
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 1, max: 90 }),
        async (uses, untilHours, hours) => {
          const { usage } = createMemoryStore();
          let isFull = false;
          let tracked = track(usage, { fails: () => isFull });
          for (const { agoHours, keyId, endpoint, status, next } of uses) {
            tracked.clock.now = NOW - agoHours * HOUR_MS;
            tracked.tracking.record(endpoint, 'GET', status, 1, 10, keyId, 'm');
            if (next === 'go on') continue;
            isFull = next === 'fail';
            await tracked.tracking.flush();
            if (next === 'reopen') tracked = track(usage, { fails: () => isFull });
          }
          tracked.clock.now = NOW;
          const to = NOW - untilHours * HOUR_MS;
          const from = to - hours * HOUR_MS;
          for (const keyId of ['k', 'l']) {
            const { rows, covered } = tracked.tracking.sum(keyId, from, to);
            const own = uses.filter((use) => use.keyId === keyId);
            const inside = own.filter(({ agoHours }) => {
              const at = NOW - agoHours * HOUR_MS;
              return (
                Math.floor(at / HOUR_MS) >= Math.floor(from / HOUR_MS) && at < to + HOUR_MS - (to % HOUR_MS)
              );
            });
            assert.equal(total(rows), inside.length);
            assert.equal(
              rows.reduce((sum, { errors }) => sum + errors, 0),
              inside.filter(({ status }) => status === 404).length,
            );
            assert.ok(covered.fromAt <= from && (covered.toAt >= to || covered.toAt === NOW));
            const failed = own.filter(({ status }) => status === 404);
            assert.deepEqual(
              tracked.tracking.errors(keyId, 100).map(({ at }) => at),
              failed.map(({ agoHours }) => NOW - agoHours * HOUR_MS).reverse(),
            );
          }
        },
      ),
      { numRuns: 150 },
    ));

  it('counts every hour that a span touches, and returns which', () => {
    const { tracking, clock } = track();
    for (const minute of [0, 59, 60, 119, 120]) {
      clock.now = NOW - (NOW % HOUR_MS) - 5 * HOUR_MS + minute * 60_000;
      tracking.record('/a', 'GET', 200, 1, 1, 'k');
    }
    clock.now = NOW;
    const start = NOW - (NOW % HOUR_MS) - 5 * HOUR_MS;
    const over = (fromAt: number, toAt: number) => {
      const { rows, covered } = tracking.sum('k', fromAt, toAt);
      return [total(rows), (covered.fromAt - start) / HOUR_MS, (covered.toAt - start) / HOUR_MS];
    };
    assert.deepEqual(over(start, start), [0, 0, 0]);
    assert.deepEqual(over(start, start + 1), [2, 0, 1]);
    assert.deepEqual(over(start, start + HOUR_MS), [2, 0, 1]);
    assert.deepEqual(over(start + HOUR_MS - 1, start + HOUR_MS + 1), [4, 0, 2]);
    assert.deepEqual(over(start + 1, start + 9 * HOUR_MS), [5, 0, (NOW - start) / HOUR_MS]);
  });

  it('reads only stored hours, however long the period is', () => {
    const { tracking } = track();
    tracking.record('/a', 'GET', 200, 1, 1, 'k');
    const { rows, covered } = tracking.sum('k', 0, Number.MAX_SAFE_INTEGER);
    assert.equal(total(rows), 1);
    assert.deepEqual(covered, { fromAt: Math.floor((NOW - 90 * DAY_MS) / HOUR_MS) * HOUR_MS, toAt: NOW });
    const ahead = tracking.sum('k', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(ahead.rows, []);
  });

  it('keeps the newest errors with their message, cut short, or their status', async () => {
    const { tracking, clock } = track();
    tracking.record('/a', 'GET', 401, 0.25, 9, 'k', 'm'.repeat(500));
    clock.now += 5;
    tracking.record('/b', 'POST', 503, 7, 9, 'k');
    tracking.record('/b', 'POST', 200, 7, 9, 'k', 'fine');
    const expected = [
      {
        keyId: 'k',
        n: 2,
        at: NOW + 5,
        endpoint: '/b',
        method: 'POST',
        status: 503,
        ms: 7,
        message: 'Status 503',
      },
      {
        keyId: 'k',
        n: 1,
        at: NOW,
        endpoint: '/a',
        method: 'GET',
        status: 401,
        ms: 0.25,
        message: 'm'.repeat(200),
      },
    ];
    assert.deepEqual(tracking.errors('k', 10), expected);
    assert.deepEqual(tracking.errors('k', 1), expected.slice(0, 1));
    await tracking.flush();
    assert.deepEqual(tracking.errors('k', 10), expected);
    for (let n = 0; n < 999; n++) tracking.record('/c', 'GET', 404, 1, 1, 'k');
    await tracking.flush();
    assert.equal(tracking.errors('k', 5_000).length, 1_000);
    assert.equal(tracking.errors('k', 5_000).at(-1)?.n, 2);
  });

  it('reports the state of its buffer', async () => {
    const { tracking } = track(undefined, { capacity: 2, retentionDays: 3 });
    const usual = { capacity: 2, flushIntervalMs: 1_000, retentionDays: 3 };
    assert.deepEqual(tracking.stats(), { ...usual, size: 0, dropped: 0, lastFlushAt: null });
    for (let n = 0; n < 5; n++) tracking.record('/a', 'GET', 200, 1, 1, 'k');
    assert.deepEqual(tracking.stats(), { ...usual, size: 2, dropped: 3, lastFlushAt: null });
    await tracking.flush();
    assert.deepEqual(tracking.stats(), { ...usual, size: 0, dropped: 3, lastFlushAt: NOW });
  });

  it('goes on in memory while the disk is full, reports that once, and loses nothing', async () => {
    let isFull = true;
    const { tracking, clock, reported, store } = track(undefined, { fails: () => isFull });
    for (let n = 0; n < 5; n++) {
      tracking.record('/a', 'GET', 404, 1, 1, 'k', 'm');
      clock.now += HOUR_MS;
      await tracking.flush();
    }
    assert.equal(reported.length, 1);
    assert.equal(total(tracking.sum('k', 0, clock.now).rows), 5);
    assert.equal(tracking.stats().lastFlushAt, null);
    isFull = false;
    await tracking.flush();
    assert.equal(store.errors('k', 10).length, 5);
    const again = track(store);
    again.clock.now = clock.now;
    assert.equal(total(again.tracking.sum('k', 0, clock.now).rows), 5);
    isFull = true;
    tracking.record('/a', 'GET', 404, 1, 1, 'k', 'm');
    await tracking.flush();
    assert.equal(reported.length, 2);
  });

  it('bounds its memory while the disk is full', async () => {
    const { tracking } = track(undefined, { fails: () => true, capacity: 50_000 });
    for (let n = 0; n < 11_000; n++) tracking.record('/a', 'GET', 404, 1, 1, `k${n}`, 'm');
    await tracking.flush();
    assert.equal(tracking.stats().dropped, 1_000);
  });

  it('drops usage older than the retention, in steps, and no longer returns it', async () => {
    const { tracking, clock, store } = track(undefined, { retentionDays: 2 });
    for (let n = 0; n < 5; n++) {
      tracking.record('/a', 'GET', 404, 1, 1, 'k', 'm');
      clock.now += DAY_MS;
      await tracking.flush();
    }
    const days = [0, 1, 2, 3, 4].map((day) => store.page('k', 'day', Math.floor(NOW / DAY_MS) + day).length);
    assert.deepEqual(days, [0, 0, 0, 1, 1]);
    assert.equal(tracking.errors('k', 10).length, 2);
    assert.equal(store.errors('k', 10).length, 2);
  });

  it('writes the rest when it stops, and finds it in the store again', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      const { tracking } = track(store.usage);
      tracking.start();
      tracking.record('/a', 'GET', 200, 1.23456, 1, 'k');
      tracking.record('/a', 'GET', 404, 1, 1, 'k', 'gone');
      await tracking.stop();
      await store.close();
      const again = await openStore(folder);
      const { rows } = track(again.usage).tracking.sum('k', NOW - 1, NOW);
      assert.deepEqual(rows, [
        { endpoint: '/a', method: 'GET', requests: 2, errors: 1, ms: 2.235, bytes: 2 },
      ]);
      assert.equal(again.usage.errors('k', 10)[0]?.message, 'gone');
      await again.close();
    }));
});
