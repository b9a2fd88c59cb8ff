import assert from 'node:assert/strict';
import fc from 'fast-check';
import { heldSignalOf, recommendationOf } from '../../../src/views/portfolio/verdicts.ts';

describe('heldSignalOf', () => {
  for (const [edgePercent, signal] of [
    [1_000, 'STRONG_BUY'],
    [30.01, 'STRONG_BUY'],
    [30, 'BUY'],
    [10.01, 'BUY'],
    [10, 'HOLD'],
    [0.01, 'HOLD'],
    [0, 'AVOID'],
    [-0, 'AVOID'],
    [-9.99, 'AVOID'],
    [-10, 'SELL'],
    [-10.01, 'SELL'],
    [-100, 'SELL'],
  ] as const) {
    it(`says ${signal} at ${edgePercent} %`, () => assert.equal(heldSignalOf(edgePercent), signal));
  }

  it('gives null for an unknown edge', () => assert.equal(heldSignalOf(null), null));
});

describe('recommendationOf', () => {
  for (const [edge, recommendation] of [
    [1, 'STRONG_HOLD'],
    [0.2001, 'STRONG_HOLD'],
    [0.2, 'HOLD'],
    [0.0501, 'HOLD'],
    [0.05, 'MONITOR'],
    [0, 'MONITOR'],
    [-0.0499, 'MONITOR'],
    [-0.05, 'CONSIDER_SELLING'],
    [-0.0501, 'CONSIDER_SELLING'],
    [-1, 'CONSIDER_SELLING'],
  ] as const) {
    it(`says ${recommendation} at ${edge}`, () => assert.equal(recommendationOf(edge), recommendation));
  }

  it('gives null for an unknown edge', () => assert.equal(recommendationOf(null), null));

  it('has a word for every edge', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (edge) => {
        assert.notEqual(recommendationOf(edge), null);
        assert.notEqual(heldSignalOf(100 * edge), null);
      }),
    );
  });
});
