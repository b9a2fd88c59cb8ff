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
  model_version: 'pool-5+498534',
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
      best_bid: 0.4,
      best_ask: 0.42,
      bid_size: 1_250,
      ask_size: 830,
      model_prob: 0.54,
      edge: 0.13,
      signal: 'BUY',
    },
  ],
  as_of: AS_OF_EXAMPLE,
};

export const MINUTE: ExampleOf<'Minute'> = {
  ts: 1_794_714_403_563,
  real_counter: 197,
  market_oracle_counter: 195,
  forecast_id: '130385-17044',
  markets: [
    {
      title: '200-219',
      lo: 200,
      hi: 219,
      market_price: 0.41,
      best_bid: 0.4,
      best_ask: 0.42,
      bid_size: 1_250,
      ask_size: 830,
      last: 0.42,
      volume: 122_327,
      model_prob: 0.54,
    },
  ],
};

export const HISTORY: ExampleOf<'HistoryAnswer'> = {
  timestamp: 1_794_714_420_000,
  event_id: COUNTERS_EXAMPLE.event_id,
  event_title: COUNTERS_EXAMPLE.event_title,
  start_ts: COUNTERS_EXAMPLE.start_ts,
  end_ts: COUNTERS_EXAMPLE.end_ts,
  from_ts: COUNTERS_EXAMPLE.start_ts,
  to_ts: 1_794_714_420_000,
  step: 60,
  limit: 150,
  next_to_ts: 1_794_714_360_000,
  data: [MINUTE],
};
