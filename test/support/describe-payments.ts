import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { KeptPayment, Store } from '../../src/store/store.ts';

/** A reserved payment, except for the fields given. */
export function paymentRow(over: Partial<KeptPayment> = {}): KeptPayment {
  return {
    id: 'eip155:1|0xa|0xb|0x1',
    state: 'RESERVED',
    proof: 'p',
    resource: '/r',
    order: '{}',
    validBeforeAt: 1_000,
    changedAt: 10,
    nextTryAt: 20,
    tries: 0,
    reply: null,
    receipt: null,
    sentAt: null,
    ...over,
  };
}

const REPLY = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"é":1}' };

export function describePayments(withStore: (use: (store: Store) => Promise<void>) => Promise<void>): void {
  describe('payments', () => {
    it('lets one of many at once take a nonce', () =>
      withStore(async ({ payments }) => {
        const rows = Array.from({ length: 50 }, (_, n) => paymentRow({ proof: String(n), nextTryAt: n }));
        const taken = await Promise.all(rows.map((row) => payments.reserve(row)));
        assert.equal(taken.filter(Boolean).length, 1);
        assert.deepEqual(payments.find('eip155:1|0xa|0xb|0x1'), rows[taken.indexOf(true)]);
        assert.equal(payments.marked('open', 1_000, 100).length, 1);
      }));

    it('finds a payment under the marks of its last state only', () =>
      withStore(async ({ payments }) => {
        const row = paymentRow();
        const ids = () =>
          (['open', 'unsent', 'spare'] as const).map((mark) => payments.marked(mark, 1_000, 9).length);
        await payments.reserve(row);
        assert.deepEqual(ids(), [1, 0, 0]);
        const settled = paymentRow({ state: 'SETTLED', nextTryAt: null, reply: REPLY, receipt: '{}' });
        await payments.put(settled);
        assert.deepEqual(ids(), [0, 1, 0]);
        await payments.put({ ...settled, sentAt: 30 });
        assert.deepEqual(ids(), [0, 0, 1]);
        assert.deepEqual(payments.find(row.id), { ...settled, sentAt: 30 });
        await payments.put({ ...settled, sentAt: 30, reply: null });
        assert.deepEqual(ids(), [0, 0, 0]);
        await payments.release(row.id);
        assert.equal(payments.find(row.id), undefined);
        await payments.release(row.id);
      }));

    it('lists the earliest first, up to a time', () =>
      withStore(async ({ payments }) => {
        for (const at of [30, 10, 20]) await payments.reserve(paymentRow({ id: `id${at}`, nextTryAt: at }));
        const ids = (upToAt: number, limit: number) =>
          payments.marked('open', upToAt, limit).map(({ id }) => id);
        assert.deepEqual(ids(20, 9), ['id10', 'id20']);
        assert.deepEqual(ids(Number.MAX_SAFE_INTEGER, 1), ['id10']);
      }));

    it('drops payments that were valid until before a time, in steps', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: 20 }), { maxLength: 12 }),
          fc.nat({ max: 20 }),
          (ends, before) =>
            withStore(async ({ payments }) => {
              for (const [n, validBeforeAt] of ends.entries()) {
                await payments.reserve(paymentRow({ id: String(n), validBeforeAt }));
              }
              let dropped = 0;
              for (let step = -1; step !== 0; dropped += step) step = await payments.prune(before, 3);
              assert.equal(dropped, ends.filter((end) => end < before).length);
              const left = ends.flatMap((end, n) => (payments.find(String(n)) === undefined ? [] : [end]));
              assert.deepEqual(
                left,
                ends.filter((end) => end >= before),
              );
              assert.equal(payments.marked('open', 1_000, 99).length, left.length);
            }),
        ),
        { numRuns: 10 },
      ));
  });
}
