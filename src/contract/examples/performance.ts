import type { ExampleOf } from '../openapi/components.ts';

const NONE = { median: null, p90: null, sample_size: 0 };
const ERRORS = {
  error_24h: { median: 6.4865, p90: 23.6842, sample_size: 113 },
  error_48h: { median: 8.4337, p90: 30, sample_size: 113 },
  error_72h: { median: 6.1714, p90: 15.1899, sample_size: 44 },
};

export const OVERVIEW: ExampleOf<'PerformanceOverview'> = {
  timestamp: 1_794_723_258_185,
  ...ERRORS,
  win_rate: { HIGH: 61.1111, MEDIUM: null, LOW: null },
  win_rate_sample_size: { HIGH: 36, MEDIUM: 0, LOW: 0 },
  last_updated: '2026-11-15T06:11:56.630Z',
  by_origin: { live: { error_24h: NONE, error_48h: NONE, error_72h: NONE }, history: ERRORS },
};

export const SAMPLE: ExampleOf<'PerformanceSample'> = {
  timestamp: '2026-10-16T16:00:00.000Z',
  error_pct: 4.321,
  event_id: 112_962,
  account: 'account_a',
  origin: 'history',
  p50: 845,
  final_count: 810,
  model_version: 'pool-4+497784',
};

export const ANNOTATION: ExampleOf<'Annotation'> = {
  timestamp: '2026-10-15T16:00:00.000Z',
  label: 'model pool-4',
  commit: 'pool-4+497784',
};

export const CALIBRATION_GROUP: ExampleOf<'CalibrationGroup'> = {
  origin: 'history',
  account: null,
  horizon: 24,
  n: 113,
  n_events: 113,
  n_market: 0,
  coverage90: 0.9027,
  coverage90_interval: [0.8496, 0.9558],
  pit_mean: 0.5051,
  pit_distance: 0.0788,
  crps: 16.0896,
  crps_pace: 18.2257,
  crps_difference_pace: -2.1361,
  crps_difference_pace_interval: [-4.3532, -0.2238],
  crps_market: null,
  crps_difference_market: null,
  crps_difference_market_interval: null,
  log_score: 1.3175,
  log_score_pace: 2.157,
  log_score_difference_pace: -0.8395,
  log_score_difference_pace_interval: [-1.266, -0.4152],
  log_score_market: null,
  log_score_difference_market: null,
  log_score_difference_market_interval: null,
  brier: 0.6418,
  brier_pace: 0.7432,
  brier_difference_pace: -0.1014,
  brier_difference_pace_interval: [-0.1748, -0.02],
  brier_market: null,
  brier_difference_market: null,
  brier_difference_market_interval: null,
  no_demonstrated_edge: true,
  reliability: [{ from: 0, to: 0.1, n: 1_191, mean_prob: 0.0101, won_share: 0.0092 }],
};

export const SLEEP_SCORE: ExampleOf<'SleepScore'> = {
  account: 'account_a',
  n: 312,
  brier: 0.1124,
  baseline_brier: 0.2231,
};
