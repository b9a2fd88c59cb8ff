import type { ExampleOf } from '../openapi/components.ts';
import { COUNTERS_EXAMPLE } from '../records/counters.ts';
import { AS_OF_EXAMPLE } from '../records/envelope.ts';

export const PREDICTION: ExampleOf<'Prediction'> = {
  seconds_remaining: 47_591,
  ...COUNTERS_EXAMPLE,
  velocity_counted_1h: 5,
  velocity_all_1h: 9,
  forecast: { p5: 158, p50: 203, p95: 275 },
  settlement: { offset_p5: -2, offset_p50: 0, offset_p95: 0 },
  sleep_probability: 0.0284,
  model_version: 'pool-4+498534',
  forecast_id: '130385-17044',
  forecast_ts: 1_794_714_403_563,
  distribution: [
    { count: 171, prob: 0.005 },
    { count: 185, prob: 0.01 },
  ],
  flip_risk: 0.0012,
  moved: [{ cause: 'new_post', p50: 1 }],
  markets: [
    {
      title: '200-219',
      market_price: 0.41,
      token_id: '53078475754233625809832957366633203805888825719603600736691927786082779134058',
      lo: 200,
      hi: 219,
      price_ts: 1_794_714_401_528,
      price_kind: 'mid',
      model_prob: 0.54,
      edge: 0.13,
      signal: 'BUY',
    },
  ],
  as_of: AS_OF_EXAMPLE,
};
