import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createReplayBudget } from '../../../src/feed/delivery/replay-budget.ts';

const PER_MINUTE = 60_000;
const MOST_AT_ONCE = 5_000;

describe('the replay budget', () => {
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
          const budget = createReplayBudget(PER_MINUTE, () => nowMs);
          const taken = new Map<string, number>();
          for (const { caller, bytes, laterMs } of takes) {
            nowMs += laterMs;
            const before = taken.get(caller) ?? 0;
            const mayTake = PER_MINUTE * (1 + nowMs / 60_000) - before;
            if (budget.allows(caller)) {
              assert.ok(mayTake > -1e-6, `${caller} took ${-mayTake} too much`);
              budget.take(caller, bytes);
              taken.set(caller, before + bytes);
            } else assert.ok(before >= PER_MINUTE - 1e-6, `${caller} was refused after ${before}`);
          }
        },
      ),
    ));

  it('is whole again after a minute, and not more than whole', () => {
    let nowMs = 0;
    const budget = createReplayBudget(PER_MINUTE, () => nowMs);
    for (const waitMs of [0, 60_000, 3_600_000]) {
      nowMs += waitMs;
      assert.equal(budget.allows('a'), true);
      budget.take('a', PER_MINUTE);
      assert.equal(budget.allows('a'), false);
    }
  });
});
