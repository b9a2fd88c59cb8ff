import fc from 'fast-check';
import type { ForecastInputs } from '../../../../streams/model/forecast/inputs.ts';
import type { CountRange } from '../../../../streams/model/forecast/simulate.ts';
import { DAY_MS, FIRST_AT } from './synthetic.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true });

/** Forecasts of open windows, from nearly closed to a month ahead. */
export const arbitraryInputs: fc.Arbitrary<ForecastInputs> = fc
  .record(
    {
      count: fc.integer({ min: 0, max: 2_000 }),
      mean: number(0.01, 1_500),
      dispersion: number(0.0001, 8),
      weights: fc.array(number(0.05, 1), { minLength: 1, maxLength: 31 }),
    },
    { noNullPrototype: true },
  )
  .map(({ weights, ...rest }) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const shares = weights.map((weight) => weight / total);
    return { version: 'test', now: FIRST_AT, endAt: FIRST_AT + weights.length * DAY_MS, shares, ...rest };
  });

/** Buckets that leave no count out and share none: bounded ones from 0 on and an open one above. */
export const arbitraryPartition: fc.Arbitrary<CountRange[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 12 })
  .map((cuts) => {
    const bounds = [0, ...cuts.sort((a, b) => a - b)];
    return bounds.map((lo, index) => {
      const next = bounds[index + 1];
      return { lo, hi: next === undefined ? null : next - 1 };
    });
  });
