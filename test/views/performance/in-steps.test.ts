import assert from 'node:assert/strict';
import fc from 'fast-check';
import { byEvent, partsOf, sortedInSteps } from '../../../src/views/performance/in-steps.ts';

/** What a computation gives, and in how many steps. */
function made<Result>(work: Generator<void, Result>) {
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done === true) return { result: value, steps };
  }
}

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
        assert.deepEqual(made(sortedInSteps(items, byValue)).result, [...items].sort(byValue));
      }),
      { numRuns: 30 },
    ));

  it('takes more steps for more items', () => {
    const stepsFor = (n: number) =>
      made(
        sortedInSteps(
          Array.from({ length: n }, (_, place) => ({ value: -place })),
          byValue,
        ),
      ).steps;
    assert.ok(stepsFor(20_000) > 5 * stepsFor(2_000));
  });
});

describe('byEvent', () => {
  it('has the items of each event together, in the order in which they come', () => {
    const items = [3, 1, 3, 2, 1].map((eventId, place) => ({ eventId, place }));
    const { result } = made(byEvent(items, ({ eventId }) => eventId));
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
