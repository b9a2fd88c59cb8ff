import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createUsageTracking, type UsageTracking } from '../../../src/access/usage/tracking.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import type { UsageRow, UsageStore } from '../../../src/store/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import { withFolder } from '../../support/store-records.ts';

const NOW = 20_000 * DAY_MS + 12 * HOUR_MS + 1_234;
const NOW_S = Math.floor(NOW / 1_000);
/** The second after the present one. */
const END_S = NOW_S + 1;
const HOUR_S = 3_600;

interface Tracked {
  readonly tracking: UsageTracking;
  readonly clock: { now: number };
  readonly reported: unknown[];
  readonly store: UsageStore;
}

/** Every write is refused while `fails` is true. */
function track(
  store: UsageStore = createMemoryStore().usage,
  {
    retentionDays = 90,
    capacity = 1_000,
    fails = (): boolean => false,
    isRead = true,
    isTimeAgreed = true,
  } = {},
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
    agreedNow: () => (isTimeAgreed ? clock.now : undefined),
    retentionDays,
    report,
    capacity,
    isRead: () => isRead,
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
    assert.deepEqual(tracking.sum('k', NOW_S, END_S).rows, [
      { endpoint: '/b', method: 'GET', requests: 3, errors: 1, ms: 6, bytes: 50 },
      { endpoint: '/a', method: 'GET', requests: 1, errors: 0, ms: 2, bytes: 100 },
      { endpoint: '/b', method: 'POST', requests: 1, errors: 1, ms: 8, bytes: 5 },
    ]);
    assert.equal(total(tracking.sum('other', 0, END_S).rows), 1);
    assert.equal(total(tracking.sum('anonymous', 0, END_S).rows), 1);
  });

  it('agrees with a recount over any seconds, whatever was flushed, failed or reopened between', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            agoMs: fc.oneof(
              fc.integer({ min: 0, max: 80 * HOUR_MS }),
              fc.integer({ min: 0, max: 3 * MINUTE_MS }),
              fc.integer({ min: 0, max: 80 }).map((hours) => hours * HOUR_MS),
            ),
            keyId: fc.constantFrom('k', 'l', null),
            endpoint: fc.constantFrom('/a', '/b'),
            status: fc.constantFrom(200, 404),
            next: fc.constantFrom('go on', 'go on', 'flush', 'fail', 'reopen'),
          }),
          { maxLength: 40 },
        ),
        fc.oneof(fc.nat({ max: 90 * HOUR_S }), fc.nat({ max: 180 })),
        fc.oneof(fc.nat({ max: 90 * HOUR_S }), fc.nat({ max: 180 })),
        async (uses, untilS, lengthS) => {
          const { usage } = createMemoryStore();
          let isFull = false;
          let tracked = track(usage, { fails: () => isFull });
          for (const { agoMs, keyId, endpoint, status, next } of uses) {
            tracked.clock.now = NOW - agoMs;
            tracked.tracking.record(endpoint, 'GET', status, 1, 10, keyId, 'm');
            if (next === 'go on') continue;
            isFull = next === 'fail';
            await tracked.tracking.flush();
            if (next === 'reopen') tracked = track(usage, { fails: () => isFull });
          }
          tracked.clock.now = NOW;
          const to = END_S - untilS;
          const from = to - lengthS;
          for (const keyId of ['k', 'l']) {
            const { rows, covered } = tracked.tracking.sum(keyId, from, to);
            const own = uses.filter((use) => use.keyId === keyId);
            const inside = own.filter(({ agoMs }) => {
              const at = NOW - agoMs;
              return at >= from * 1_000 && at < to * 1_000;
            });
            assert.equal(total(rows), inside.length);
            assert.equal(
              rows.reduce((sum, { errors }) => sum + errors, 0),
              inside.filter(({ status }) => status === 404).length,
            );
            assert.deepEqual(covered, {
              fromAt: Math.min(from * 1_000, NOW),
              toAt: Math.min(to * 1_000, NOW),
            });
            const failed = own.filter(({ status }) => status === 404);
            assert.deepEqual(
              tracked.tracking.errors(keyId, 100).map(({ at }) => at),
              failed.map(({ agoMs }) => NOW - agoMs).reverse(),
            );
          }
        },
      ),
      { numRuns: 150 },
    ));

  it('counts no request outside a span that is shorter than a minute or crosses an hour', () => {
    const { tracking, clock } = track();
    const hour = NOW_S - (NOW_S % HOUR_S) - 5 * HOUR_S;
    for (const second of [0, 59, 60, HOUR_S - 1, HOUR_S, 2 * HOUR_S - 1, 2 * HOUR_S]) {
      clock.now = (hour + second) * 1_000 + 999;
      tracking.record('/a', 'GET', 200, 1, 1, 'k');
    }
    clock.now = NOW;
    const over = (from: number, to: number) => total(tracking.sum('k', hour + from, hour + to).rows);
    assert.equal(over(0, 0), 0);
    assert.equal(over(0, 1), 1);
    assert.equal(over(1, 59), 0);
    assert.equal(over(1, 60), 1);
    assert.equal(over(59, 61), 2);
    assert.equal(over(HOUR_S - 1, HOUR_S + 1), 2);
    assert.equal(over(0, HOUR_S), 4);
    assert.equal(over(1, 2 * HOUR_S), 5);
    assert.equal(over(1, 2 * HOUR_S + 1), 6);
    assert.equal(over(HOUR_S, 2 * HOUR_S), 2);
  });

  it('reads only what is stored, however long the period is', () => {
    const { tracking } = track();
    tracking.record('/a', 'GET', 200, 1, 1, 'k');
    const { rows, covered } = tracking.sum('k', 0, Number.MAX_SAFE_INTEGER);
    assert.equal(total(rows), 1);
    assert.deepEqual(covered, { fromAt: NOW_S * 1_000 - 90 * DAY_MS, toAt: NOW });
    const ahead = tracking.sum('k', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(ahead, { rows: [], covered: { fromAt: NOW, toAt: NOW } });
  });

  it('splits by seconds what can be asked for alone, as the rest would only fill the disk', async () => {
    const { usage } = createMemoryStore();
    const tracking = createUsageTracking({
      store: usage,
      now: () => NOW,
      retentionDays: 90,
      report(error) {
        throw error;
      },
      isRead: (keyId) => keyId === 'k',
    });
    for (const keyId of ['k', 'l', null]) tracking.record('/a', 'GET', 200, 1, 1, keyId);
    await tracking.flush();
    const kept = (span: 'minute' | 'hour', ms: number) =>
      ['k', 'l', 'anonymous'].map((keyId) => usage.page(keyId, span, Math.floor(NOW / ms)).length);
    assert.deepEqual(kept('minute', MINUTE_MS), [1, 0, 0]);
    assert.deepEqual(kept('hour', HOUR_MS), [1, 1, 1]);
    assert.equal(total(tracking.sum('k', NOW_S, END_S).rows), 1);
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
    assert.equal(total(tracking.sum('k', 0, clock.now / 1_000 + 1).rows), 5);
    assert.equal(tracking.stats().lastFlushAt, null);
    isFull = false;
    await tracking.flush();
    assert.equal(store.errors('k', 10).length, 5);
    const again = track(store);
    again.clock.now = clock.now;
    assert.equal(total(again.tracking.sum('k', 0, clock.now / 1_000 + 1).rows), 5);
    isFull = true;
    tracking.record('/a', 'GET', 404, 1, 1, 'k', 'm');
    await tracking.flush();
    assert.equal(reported.length, 2);
  });

  it('bounds its memory while the disk is full', async () => {
    const { tracking } = track(undefined, { fails: () => true, capacity: 50_000, isRead: false });
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

  it('drops nothing while others do not agree with the calendar', async () => {
    const { tracking, clock, store } = track(undefined, { retentionDays: 2, isTimeAgreed: false });
    tracking.record('/a', 'GET', 200, 1, 1, 'k');
    await tracking.flush();
    clock.now += 60 * DAY_MS;
    await tracking.flush();
    assert.equal(store.page('k', 'day', Math.floor(NOW / DAY_MS)).length, 1);
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
      const { rows } = track(again.usage).tracking.sum('k', NOW_S, END_S);
      assert.deepEqual(rows, [
        { endpoint: '/a', method: 'GET', requests: 2, errors: 1, ms: 2.235, bytes: 2 },
      ]);
      assert.equal(again.usage.errors('k', 10)[0]?.message, 'gone');
      await again.close();
    }));
});
