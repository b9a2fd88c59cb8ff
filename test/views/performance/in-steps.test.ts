import assert from 'node:assert/strict';
import fc from 'fast-check';
import { byEvent, partsOf, sortedInSteps } from '../../../src/views/performance/in-steps.ts';
import { inSteps } from '../../support/steps.ts';

describe('partsOf', () => {
  it('has all items in their order, in parts of the size and a rest', () =>
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (items, size) => {
        const parts = [...partsOf(items, size)];
        assert.deepEqual(parts.flat(), items);
        assert.equal(parts.length, Math.ceil(items.length / size));
      }),
    ));
});

describe('sortedInSteps', () => {
  const byValue = (a: { value: number }, b: { value: number }) => a.value - b.value;

  it('gives what a stable sort gives, whatever the number of items', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 3_000 }), (n, kinds) => {
        const items = Array.from({ length: n }, (_, place) => ({ value: (place * 7_919) % kinds, place }));
        assert.deepEqual(inSteps(sortedInSteps(items, byValue)).result, [...items].sort(byValue));
      }),
      { numRuns: 30 },
    ));

  it('compares no more in a step than it takes to sort a thousand, however the items lie', () => {
    for (const direction of [1, -1]) {
      let compared = 0;
      let most = 0;
      const items = Array.from({ length: 20_000 }, (_, place) => ({ value: direction * place }));
      const work = sortedInSteps(items, (a, b) => {
        compared += 1;
        return byValue(a, b);
      });
      while (work.next().done !== true) {
        most = Math.max(most, compared);
        compared = 0;
      }
      assert.ok(most > 0 && most < 10_000, `compared ${most} times`);
    }
  });
});

describe('byEvent', () => {
  it('has the items of each event together, in the order in which they come', () => {
    const items = [3, 1, 3, 2, 1].map((eventId, place) => ({ eventId, place }));
    const { result } = inSteps(byEvent(items, ({ eventId }) => eventId));
    assert.deepEqual(
      result.map((event) => event.map(({ eventId, place }) => [eventId, place])),
      [
        [
          [3, 0],
          [3, 2],
        ],
        [
          [1, 1],
          [1, 4],
        ],
        [[2, 3]],
      ],
    );
  });
});
