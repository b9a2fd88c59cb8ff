import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cents, percentOf, sumOfCents } from '../../../src/views/portfolio/money.ts';

describe('sumOfCents', () => {
  it('adds without a trace of binary fractions', () => {
    assert.equal(sumOfCents([0.1, 0.2]), 0.3);
    assert.equal(sumOfCents(Array.from({ length: 10_000 }, () => 0.01)), 100);
    assert.equal(sumOfCents([]), 0);
  });

  it('gives what whole cents give', () => {
    const amounts = fc.array(fc.integer({ min: -1e9, max: 1e9 }));
    fc.assert(
      fc.property(amounts, (whole) => {
        const sum = whole.reduce((total, amount) => total + amount, 0);
        assert.equal(sumOfCents(whole.map((amount) => amount / 100)), sum / 100);
      }),
    );
  });
});

describe('cents', () => {
  it('leaves whole cents as they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (whole) => {
        assert.equal(cents(whole / 100), whole / 100);
      }),
    );
  });
});

describe('percentOf', () => {
  for (const [part, whole, percent] of [
    [0.03, 0.1, 30],
    [0.01, 0.1, 10],
    [-0.01, 0.1, -10],
    [1, 3, 33.33],
    [-1, 3, -33.33],
    [0, 5, 0],
    [0, 0, 0],
    [0.25, 0, 100],
    [-0.25, 0, -100],
  ] as const) {
    it(`says that ${part} of ${whole} is ${percent} %`, () => assert.equal(percentOf(part, whole), percent));
  }
});
