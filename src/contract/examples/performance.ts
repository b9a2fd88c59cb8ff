import type { ExampleOf } from '../openapi/components.ts';

const LIVE = { median: 5.8333, p90: 17.5, sample_size: 32 };
const LIVE_72 = { median: 6.9444, p90: 14.2857, sample_size: 12 };
const BACKFILLED = {
  error_24h: { median: 6.4865, p90: 23.6842, sample_size: 113 },
  error_48h: { median: 8.4337, p90: 30, sample_size: 113 },
  error_72h: { median: 6.1714, p90: 15.1899, sample_size: 44 },
};
const ERRORS = {
  error_24h: {
    ...{ median: 6.3492, p90: 22.2222, sample_size: 145, n_market: 31 },
    ...{ live: LIVE, backfilled: BACKFILLED.error_24h },
  },
  error_48h: {
    ...{ median: 8.1081, p90: 29.1667, sample_size: 145, n_market: 31 },
    ...{ live: LIVE, backfilled: BACKFILLED.error_48h },
  },
  error_72h: {
    ...{ median: 6.3158, p90: 15.1899, sample_size: 56, n_market: 12 },
    ...{ live: LIVE_72, backfilled: BACKFILLED.error_72h },
  },
};

export const ACCOUNT_TRACK_RECORD: ExampleOf<'AccountTrackRecord'> = {
  account: 'account_a',
  confidence: 'HIGH',
  proven: false,
  horizon: 24,
  sample_size: 145,
  n_live: 32,
  n_backfilled: 113,
  n_market: 31,
  proven_against: ['pace'],
  coverage90: 0.9034,
  top_bucket_hit_rate: 0.4552,
  top_bucket_mean_prob: 0.4278,
  crps_difference_pace: -2.4181,
  log_score_difference_market: -0.0312,
  market_sample_size: 31,
};

export const OVERVIEW: ExampleOf<'PerformanceOverview'> = {
  timestamp: 1_794_723_258_185,
  ...ERRORS,
  win_rate: { HIGH: null, MEDIUM: null, LOW: 45.1613 },
  win_rate_sample_size: { HIGH: 0, MEDIUM: 0, LOW: 31 },
  win_rate_unproven: { HIGH: 0, MEDIUM: 0, LOW: 31 },
  bets_by_side: {
    yes: { bets: 58, events: 31, won_percent: 32.7586, return_percent: -1.8421 },
    no: { bets: 44, events: 27, won_percent: 86.3636, return_percent: 0.9317 },
  },
  last_updated: '2026-11-15T06:11:56.630Z',
  comparable: {
    n: 56,
    error_24h: { ...ERRORS.error_72h, median: 3.9216, p90: 9.0909 },
    error_48h: { ...ERRORS.error_72h, median: 5.2632, p90: 12.5 },
    error_72h: ERRORS.error_72h,
  },
  by_origin: {
    live: { error_24h: LIVE, error_48h: LIVE, error_72h: LIVE_72 },
    history: BACKFILLED,
  },
  track_records: [ACCOUNT_TRACK_RECORD],
};

export const SAMPLE: ExampleOf<'PerformanceSample'> = {
  timestamp: '2026-10-16T16:00:00.000Z',
  error_pct: 4.321,
  event_id: 112_962,
  account: 'account_a',
  origin: 'history',
  p50: 845,
  final_count: 810,
  model_version: 'pool-5+497784',
  has_market: false,
};

export const VOID_FORECAST: ExampleOf<'VoidForecast'> = {
  timestamp: '2026-10-23T16:00:00.000Z',
  event_id: 113_120,
  account: 'account_a',
  origin: 'live',
  forecast_id: '113120-88412',
  forecast_ts: 1_792_684_800_000,
  model_version: 'pool-5+497784',
};

export const ANNOTATION: ExampleOf<'Annotation'> = {
  timestamp: '2026-10-01T09:30:12.000Z',
  label: 'model pool-5',
  commit: 'pool-5',
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
  same_instants: null,
  no_demonstrated_edge: true,
  reliability: [{ from: 0, to: 0.1, n: 1_191, mean_prob: 0.0101, won_share: 0.0092 }],
};

export const SLEEP_SCORE: ExampleOf<'SleepScore'> = {
  account: 'account_a',
  n: 312,
  brier: 0.1124,
  baseline_brier: 0.2231,
};
