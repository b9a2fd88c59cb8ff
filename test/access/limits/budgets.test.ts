import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createBudgets } from '../../../src/access/limits/budgets.ts';

const MINUTE_MS = 60_000;
const PER_MINUTE = 60_000;
const MOST_AT_ONCE = 5_000;

describe('createBudgets', () => {
  it("gives each caller a minute's bytes at once and no more than as many in each minute after, whatever others take", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            caller: fc.constantFrom('1.2.3.4', 'key 1'),
            bytes: fc.nat(MOST_AT_ONCE),
            laterMs: fc.nat(500),
          }),
          { maxLength: 200 },
        ),
        (takes) => {
          let nowMs = 0;
          const budgets = createBudgets(PER_MINUTE);
          const taken = new Map<string, number>();
          for (const { caller, bytes, laterMs } of takes) {
            nowMs += laterMs;
            const before = taken.get(caller) ?? 0;
            const mayTake = PER_MINUTE * (1 + nowMs / MINUTE_MS) - before;
            const budget = budgets.of(caller);
            if (budgets.waitMs(budget, nowMs) === 0) {
              assert.ok(mayTake > -1e-6, `${caller} took ${-mayTake} too much`);
              budgets.take(budget, bytes, nowMs);
              taken.set(caller, before + bytes);
            } else assert.ok(before >= PER_MINUTE - 1e-6, `${caller} was refused after ${before}`);
          }
        },
      ),
    ));

  it('is whole again after a minute, and not more than whole', () => {
    const budgets = createBudgets(PER_MINUTE);
    const budget = budgets.of('a');
    for (const nowMs of [0, MINUTE_MS, 61 * MINUTE_MS]) {
      assert.equal(budgets.waitMs(budget, nowMs), 0);
      budgets.take(budget, PER_MINUTE, nowMs);
      assert.ok(budgets.waitMs(budget, nowMs) > 0);
    }
  });

  it('says exactly how long to wait when nothing else is taken meanwhile', () =>
    fc.assert(
      fc.property(fc.nat(3 * PER_MINUTE), fc.integer({ min: 0, max: 1e12 }), (bytes, at) => {
        const budgets = createBudgets(PER_MINUTE);
        const budget = budgets.of('a');
        budgets.take(budget, bytes, at);
        const waitMs = budgets.waitMs(budget, at);
        if (waitMs === 0) return;
        assert.equal(budgets.waitMs(budget, at + waitMs), 0);
        assert.ok(waitMs < 3 || budgets.waitMs(budget, at + waitMs - 3) > 0);
      }),
    ));

  it('lets nobody wait for longer than it may, however much was taken', () => {
    const budgets = createBudgets(PER_MINUTE, 10_000);
    const budget = budgets.of('a');
    for (let n = 0; n < 100; n++) budgets.take(budget, PER_MINUTE, 0);
    assert.equal(budgets.waitMs(budget, 0), 10_001);
    assert.equal(budgets.waitMs(budget, 10_001), 0);
  });

  it('takes what was asked for earlier as if it was now', () => {
    const budgets = createBudgets(PER_MINUTE);
    const budget = budgets.of('a');
    budgets.take(budget, 1_000, 30_000);
    budgets.take(budget, 1_000, 0);
    assert.deepEqual(budget, { used: 2_000, atMs: 30_000 });
  });
});
