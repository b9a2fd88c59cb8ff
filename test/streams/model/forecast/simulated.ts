import type { ForecastInputs } from '../../../../streams/model/forecast/inputs.ts';
import {
  type CountRange,
  createSimulator,
  type Forecast,
  forecastOf,
} from '../../../../streams/model/forecast/simulate.ts';

export const simulator = createSimulator();

/** The forecast of one simulation. */
export function simulate(inputs: ForecastInputs, buckets: readonly CountRange[], seed: number): Forecast {
  return forecastOf(simulator(inputs, seed), buckets);
}
