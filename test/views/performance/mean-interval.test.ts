import assert from 'node:assert/strict';
import fc from 'fast-check';
import { meanInterval } from '../../../src/views/performance/mean-interval.ts';
import { bootstrapInterval } from '../../../streams/internal.ts';
import { inSteps } from '../../support/steps.ts';

describe('meanInterval', () => {
  it('gives the digits of the general bootstrap', () => {
    const anyValues = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(anyValues, (values) => {
        const mean = (drawn: readonly number[]) =>
          drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
        assert.deepEqual(inSteps(meanInterval(values)).result, bootstrapInterval(values, mean));
      }),
      { numRuns: 20 },
    );
  });

  it('gives nearly the same for many events, without resampling them', () => {
    const valuesOf = (n: number) =>
      Array.from({ length: n }, (_, index) => ((index * 7_919) % 1_009) / 1_009);
    const [low, high] = inSteps(meanInterval(valuesOf(1_001))).result ?? [0, 0];
    const [lowResampled, highResampled] = inSteps(meanInterval(valuesOf(1_000))).result ?? [0, 0];
    assert.ok(Math.abs(low - lowResampled) < 0.002, `${low}, resampled ${lowResampled}`);
    assert.ok(Math.abs(high - highResampled) < 0.002, `${high}, resampled ${highResampled}`);
  });

  it('takes steps that do not grow with the events', () => {
    const stepsFor = (n: number) =>
      inSteps(meanInterval(Array.from({ length: n }, (_, index) => index))).steps;
    assert.ok(stepsFor(900) > 5 * stepsFor(100), `${stepsFor(900)} for 900, ${stepsFor(100)} for 100`);
  });

  it('knows no interval of fewer than two events', () => {
    assert.deepEqual([inSteps(meanInterval([])).result, inSteps(meanInterval([1])).result], [null, null]);
  });
});
