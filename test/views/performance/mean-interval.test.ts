import assert from 'node:assert/strict';
import fc from 'fast-check';
import { meanInterval } from '../../../src/views/performance/mean-interval.ts';
import { bootstrapInterval } from '../../../streams/internal.ts';

describe('meanInterval', () => {
  it('gives the digits of the general bootstrap', () => {
    const anyValues = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(anyValues, (values) => {
        const mean = (drawn: readonly number[]) =>
          drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
        assert.deepEqual(meanInterval(values), bootstrapInterval(values, mean));
      }),
      { numRuns: 20 },
    );
  });

  it('knows no interval of fewer than two events', () => {
    assert.deepEqual([meanInterval([]), meanInterval([1])], [null, null]);
  });
});
