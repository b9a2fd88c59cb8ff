import assert from 'node:assert/strict';
import type { FeedStatus } from '../../../src/client/browser.ts';
import { ALERT_FIGURE_NAMES, readCondition } from '../../../src/contract/alert-figures.ts';
import { alertValues } from '../../../src/dashboard/state/alert-values.ts';
import { type Marks, watchAlerts } from '../../../src/dashboard/state/alert-watch.ts';
import type { PageAlert } from '../../../src/dashboard/state/page-alert.ts';
import {
  type AccountState,
  type Counters,
  EMPTY_ACCOUNT,
  type Prediction,
} from '../../../src/dashboard/state/records.ts';

const COUNTERS: Counters = {
  event_id: 1,
  event_title: 'Account A # posts November 13 - November 15, 2026?',
  event_slug: '',
  image: '',
  start_ts: 0,
  end_ts: 1,
  market_oracle_counter: 9,
  real_counter: 10,
  market_ui_counter: 8,
  settlement_delta: 1,
  display_delta: 2,
  internal_delta: -1,
  deleted_count: 0,
  via: 'timeline',
  stale: [],
  history_percent: 100,
  as_of: { seq: 0, ts: 0, ages_ms: { posts: null, oracle: null, ui: null, prices: null } },
};
const MARKET: Prediction['markets'][number] = {
  title: '0-19',
  market_price: 0.4,
  token_id: 'yes',
  lo: 0,
  hi: 19,
  price_ts: null,
  price_kind: null,
  best_bid: 0.39,
  best_ask: 0.41,
  bid_size: null,
  ask_size: null,
};
const LAG = { n: 1, p50_ms: 5, p90_ms: 6, p99_ms: 7 };
const LIVE: FeedStatus = { state: 'live' };

function alertOn(text: string, fields: Partial<PageAlert> = {}): PageAlert {
  const when = readCondition(text);
  assert.ok(when, text);
  return { id: 'x', account: 'account_a', event: null, bucket: null, when, ...fields };
}

interface Shown {
  readonly counters?: readonly Partial<Counters>[];
  readonly markets?: readonly Partial<Prediction['markets'][number]>[];
  readonly records?: Partial<AccountState>;
  readonly status?: FeedStatus;
}

function stateOf({ counters = [{}], markets = [{}], records, status = LIVE }: Shown) {
  const events = counters.map((fields) => ({ ...COUNTERS, ...fields }));
  const buckets = markets.map((fields) => ({ ...MARKET, ...fields }));
  const predictions = events.map((event) => ({ ...event, seconds_remaining: 1, markets: buckets }));
  const account = { ...EMPTY_ACCOUNT, counters: events, predictions, ...records };
  return { accounts: new Map([['account_a', account]]), status };
}

/** The values that alerts fired for, one state after another. */
function firedIn(alert: PageAlert, states: readonly Shown[]): readonly number[] {
  let marks: Marks = new Map();
  return states.flatMap((shown) => {
    const next = watchAlerts([alert], marks, stateOf(shown));
    marks = next.marks;
    return next.fired.map(({ value }) => value);
  });
}

const counts = (...values: readonly (number | null)[]) =>
  values.map((real_counter) => ({ counters: [{ real_counter }] }));

describe('alerts of the page', () => {
  it('fire once for each crossing, and not for what holds at first', () => {
    const alert = alertOn('real_counter >= 12');
    assert.deepEqual(firedIn(alert, counts(10, 11, 12, 13, 12, 11, 11, 14)), [12, 14]);
    assert.deepEqual(firedIn(alert, counts(15, 16, 11, 12)), [12]);
  });

  it('are not moved by what is unknown', () => {
    const alert = alertOn('real_counter >= 12');
    assert.deepEqual(firedIn(alert, counts(10, null, 12, null, 13, null, 11, null, 12)), [12, 12]);
    assert.deepEqual(firedIn(alert, counts(null, 12)), []);
  });

  it('watch each event and each bucket by itself, or the one that is named', () => {
    const price = (first: number, second: number) => ({
      markets: [{ market_price: first }, { title: '20-39', market_price: second }],
    });
    const states = [price(0.4, 0.4), price(0.6, 0.4), price(0.7, 0.6)];
    assert.deepEqual(firedIn(alertOn('market_price > 0.5'), states), [0.6, 0.6]);
    assert.deepEqual(firedIn(alertOn('market_price > 0.5', { bucket: '20-39' }), states), [0.6]);
    const both = [10, 12].map((second) => ({
      counters: [{ real_counter: 10 }, { event_id: 2, real_counter: second }],
    }));
    assert.deepEqual(firedIn(alertOn('real_counter >= 12'), both), [12]);
    assert.deepEqual(firedIn(alertOn('real_counter >= 12', { event: 1 }), both), []);
  });

  it('fire when a source is stale, and when the page itself gets nothing', () => {
    const alert = alertOn('stale_oracle == 1');
    assert.deepEqual(firedIn(alert, [{}, { counters: [{ stale: ['oracle'] }] }, {}]), [1]);
    const lost: Shown = { status: { state: 'down', reason: 'lost' } };
    assert.deepEqual(firedIn(alert, [{}, lost, { status: { state: 'resuming' } }, {}, lost]), [1, 1]);
    assert.deepEqual(firedIn(alertOn('stale_inputs >= 2'), [{}, lost]), [4]);
  });

  it('see with a key what it shows, and nothing of it without one', () => {
    const shown: Shown = {
      markets: [{ model_prob: 0.5, edge: 0.1 }],
      records: {
        velocity: { as_of: COUNTERS.as_of, account: 'account_a', velocity_counted_1h: 3, velocity_all_1h: 4 },
        lag: { as_of: COUNTERS.as_of, account: 'account_a', seen: LAG, oracle: LAG, ui: LAG },
      },
    };
    const seen = (figure: string, state: Shown) =>
      alertValues(alertOn(`${figure} > 0`), stateOf(state)).map(({ value }) => value);
    assert.deepEqual(seen('edge', shown), [0.1]);
    assert.deepEqual(seen('velocity_all_1h', shown), [4]);
    assert.deepEqual(seen('oracle_p90_ms', shown), [6]);
    assert.deepEqual(seen('edge', {}), [null]);
    assert.deepEqual(seen('velocity_all_1h', {}), [null]);
    for (const figure of ALERT_FIGURE_NAMES) assert.equal(seen(figure, shown).length, 1, figure);
  });

  it('know nothing of accounts that are not followed', () => {
    assert.deepEqual(alertValues(alertOn('real_counter > 0', { account: 'account_z' }), stateOf({})), []);
  });
});
