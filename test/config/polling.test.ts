import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  POLLING_FIELDS,
  type PollingEntry,
  pollingFaults,
  stalePostsMs,
  toPolling,
} from '../../src/config/polling.ts';

const SECOND_MS = 1_000;

describe('toPolling', () => {
  it('polls at the default interval all the time when nothing is said', () => {
    const { fastestMs, usualMs, slowestMs } = toPolling(undefined, SECOND_MS);
    assert.deepEqual([fastestMs, usualMs, slowestMs], [1_000, 1_000, 1_000]);
  });

  it('takes an interval that is not given from the next faster one', () => {
    const intervals = (entry: PollingEntry) => {
      const { fastestMs, usualMs, slowestMs } = toPolling(entry, SECOND_MS);
      return [fastestMs, usualMs, slowestMs];
    };
    assert.deepEqual(intervals({ fastestSeconds: 10 }), [10_000, 10_000, 10_000]);
    assert.deepEqual(intervals({ slowestSeconds: 60 }), [1_000, 1_000, 60_000]);
    assert.deepEqual(intervals({ usualSeconds: 10 }), [1_000, 10_000, 10_000]);
    assert.deepEqual(
      intervals({ fastestSeconds: 2, usualSeconds: 10, slowestSeconds: 60 }),
      [2_000, 10_000, 60_000],
    );
  });

  it('reads how near is near', () => {
    const { nearPosts, nearCloseMs } = toPolling({ nearPosts: 5, nearCloseMinutes: 10 }, SECOND_MS);
    assert.deepEqual([nearPosts, nearCloseMs], [5, 600_000]);
  });
});

describe('pollingFaults', () => {
  const entries = fc.record(
    {
      fastestSeconds: fc.integer({ min: 1, max: 3_600 }),
      usualSeconds: fc.integer({ min: 1, max: 3_600 }),
      slowestSeconds: fc.integer({ min: 1, max: 3_600 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

  it('leaves only intervals in order, and none as long as posts may be old', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 7_200 }), (entry, limitSeconds) => {
        const polling = toPolling(entry, SECOND_MS);
        const { fastestMs, usualMs, slowestMs } = polling;
        const faults = pollingFaults(polling, limitSeconds * SECOND_MS, 'polling');
        const isGood = fastestMs <= usualMs && usualMs <= slowestMs && slowestMs < limitSeconds * SECOND_MS;
        assert.equal(faults.length === 0, isGood);
      }),
    );
  });

  it('finds no fault with the limit that follows from the polling, which is never shorter than that of all', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 600 }), (entry, seconds) => {
        const polling = toPolling(entry, SECOND_MS);
        const limitMs = stalePostsMs(polling, seconds * SECOND_MS);
        assert.ok(limitMs >= seconds * SECOND_MS);
        assert.ok(polling.slowestMs < limitMs);
      }),
    );
  });

  it('keeps the limit of all accounts for those that are polled each second', () => {
    assert.equal(stalePostsMs(toPolling(undefined, SECOND_MS), 10_000), 10_000);
  });

  it('says where each fault is', () => {
    const polling = toPolling({ fastestSeconds: 20, usualSeconds: 10, slowestSeconds: 5 }, SECOND_MS);
    assert.deepEqual(
      pollingFaults(polling, 5_000, 'accounts[2].polling').map(({ loc, msg }) => `${loc.join('.')}: ${msg}`),
      [
        'accounts[2].polling.usualSeconds: expected no less than the fastest 20 s, found 10',
        'accounts[2].polling.slowestSeconds: expected no less than the usual 10 s, found 5',
        'accounts[2].polling.slowestSeconds: expected less than the 5 s after which posts are stale, found 5',
      ],
    );
  });

  it('says that the limit is at fault where the polling was not given', () => {
    const faults = pollingFaults(toPolling(undefined, 5_000), 5_000, 'polling', 'staleSeconds.posts');
    assert.deepEqual(
      faults.map(({ loc }) => loc),
      [['staleSeconds.posts']],
    );
  });

  it('takes whole seconds from one to an hour', () => {
    for (const [field, good, bad] of [
      ['fastestSeconds', [1, '3600'], [0, 3_601, 1.5]],
      ['nearPosts', [0, 5], [-1, 'few']],
      ['nearCloseMinutes', [0, 60], [-1]],
    ] as const) {
      for (const value of good) assert.ok(POLLING_FIELDS[field].schema.safeParse(value).success);
      for (const value of bad) assert.ok(!POLLING_FIELDS[field].schema.safeParse(value).success);
    }
  });
});
