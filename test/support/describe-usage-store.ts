import assert from 'node:assert/strict';
import type { Store, UsageError, UsagePageRow } from '../../src/store/store.ts';
import { HOUR_MS } from '../../streams/internal.ts';

type WithStore = (use: (store: Store) => Promise<void>) => Promise<void>;

function usageRow(endpoint: string, requests: number, over: Partial<UsagePageRow> = {}): UsagePageRow {
  const sums = { requests, errors: 0, ms: requests * 1.5, bytes: requests * 100 };
  return { endpoint, method: 'GET', second: 0, ...sums, ...over };
}

function usageError(keyId: string, n: number, over: Partial<UsageError> = {}): UsageError {
  return {
    keyId,
    n,
    at: n,
    endpoint: '/p',
    method: 'GET',
    status: 401,
    ms: 0.5,
    message: `no ${n}`,
    ...over,
  };
}

const numbers = (errors: readonly UsageError[]) => errors.map(({ n }) => n);

/** What the usage part of every Store does. */
export function describeUsageStore(withStore: WithStore): void {
  describe('usage', () => {
    it('keeps the last page written under each key, span and index', () =>
      withStore(async ({ usage }) => {
        assert.deepEqual(usage.page('k', 'hour', 1), []);
        const [first, second] = [usageRow('/a', 1), usageRow('/b', 2, { method: 'POST', errors: 2 })];
        await usage.write([{ keyId: 'k', span: 'hour', index: 1, rows: [first] }], []);
        await usage.write(
          [
            { keyId: 'k', span: 'hour', index: 1, rows: [first, second] },
            { keyId: 'k', span: 'day', index: 1, rows: [second] },
            { keyId: 'other', span: 'hour', index: 1, rows: [] },
          ],
          [],
        );
        assert.deepEqual(usage.page('k', 'hour', 1), [first, second]);
        assert.deepEqual(usage.page('k', 'day', 1), [second]);
        assert.deepEqual(usage.page('k', 'hour', 2), []);
        assert.deepEqual(usage.page('other', 'hour', 1), []);
      }));

    it('keeps the seconds of a minute apart', () =>
      withStore(async ({ usage }) => {
        const rows = [
          usageRow('/a', 1, { second: 0 }),
          usageRow('/a', 2, { second: 59, errors: 1 }),
          usageRow('/a', 3, { second: 59, method: 'HEAD' }),
          usageRow('/b', 4, { second: 7 }),
        ];
        await usage.write([{ keyId: 'k', span: 'minute', index: 9, rows }], []);
        assert.deepEqual(usage.page('k', 'minute', 9), rows);
        assert.deepEqual(usage.page('k', 'hour', 9), []);
        assert.equal(await usage.prune(10 * 60_000 - 1, 9), 0);
        assert.equal(await usage.prune(10 * 60_000, 9), 1);
        assert.deepEqual(usage.page('k', 'minute', 9), []);
      }));

    it('keeps the newest 1,000 errors of each key and gives them newest first', () =>
      withStore(async ({ usage }) => {
        const many = Array.from({ length: 1_200 }, (_, index) => usageError('k', index + 1));
        await usage.write([], many.slice(0, 900));
        await usage.write([], [...many.slice(900), usageError('l', 1, { message: 'ü "quoted"\n' })]);
        assert.deepEqual(usage.errors('k', 2), [many[1_199], many[1_198]]);
        assert.deepEqual(
          numbers(usage.errors('k', 5_000)),
          Array.from({ length: 1_000 }, (_, index) => 1_200 - index),
        );
        assert.deepEqual(usage.errors('l', 9), [usageError('l', 1, { message: 'ü "quoted"\n' })]);
        assert.deepEqual(usage.errors('m', 9), []);
      }));

    it('drops pages and errors that ended before a time, in steps, and nothing else', () =>
      withStore(async ({ usage }) => {
        const pages = ['k', 'l'].flatMap((keyId) => [
          ...[0, 1, 2, 24, 25].map((index) => ({
            keyId,
            span: 'hour' as const,
            index,
            rows: [usageRow('/a', 1)],
          })),
          ...[0, 1].map((index) => ({ keyId, span: 'day' as const, index, rows: [usageRow('/a', 1)] })),
        ]);
        const errors = [1, 2, 3].map((n) => usageError('k', n, { at: n * 24 * HOUR_MS }));
        await usage.write(pages, errors);
        const beforeAt = 24.5 * HOUR_MS;
        const steps: number[] = [];
        for (let step = 3; step > 0; steps.push(step)) step = await usage.prune(beforeAt, 3);
        assert.deepEqual(steps, [3, 3, 3, 0]);
        for (const { keyId, span, index } of pages) {
          const isLeft = index >= 24 || (span === 'day' && index === 1);
          assert.equal(usage.page(keyId, span, index).length, isLeft ? 1 : 0, `${keyId} ${span} ${index}`);
        }
        assert.deepEqual(numbers(usage.errors('k', 9)), [3, 2]);
      }));
  });
}
