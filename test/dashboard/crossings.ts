import type { Crossing } from '../../src/dashboard/crossing-text.ts';

/** Crossings as a server sends them, with some fields of a test's own. */

type OfKind<Kind extends Crossing['kind']> = Extract<Crossing, { readonly kind: Kind }>;

const SHARED = {
  text: '',
  real_counter: 121,
  market_oracle_counter: 119,
  market_ui_counter: 118,
  oracle_lag: { n: 60, p50_ms: 61_000, p90_ms: 180_000, p99_ms: 300_000 },
} as const;

export function leftBucket(fields: Partial<OfKind<'count_left_bucket'>>): OfKind<'count_left_bucket'> {
  return {
    kind: 'count_left_bucket',
    ...SHARED,
    bucket: '100-119',
    token_id: 'yes-1',
    best_bid: 0.19,
    bid_size: 300,
    model_prob: 0.01,
    gain_usd: 55.2,
    expected_value_usd: 52.2,
    since_ts: null,
    ...fields,
  };
}

export function nearEdge(fields: Partial<OfKind<'near_edge'>>): OfKind<'near_edge'> {
  return {
    kind: 'near_edge',
    ...SHARED,
    bucket: '120-139',
    next_bucket: '140-159',
    next_token_id: 'yes-2',
    posts_to_next: 1,
    within_ms: 900_000,
    probability: 0.594,
    velocity_counted_1h: 8,
    best_ask: 0.3,
    ask_size: 40,
    model_prob: 0.4,
    expected_value_usd: null,
    ...fields,
  };
}

export const NO_LAGS = { n: 0, p50_ms: null, p90_ms: null, p99_ms: null } as const;
