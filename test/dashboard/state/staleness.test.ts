import assert from 'node:assert/strict';
import type { Counters } from '../../../src/dashboard/state/records.ts';
import { inputAges, staleInputs, statusFor } from '../../../src/dashboard/state/staleness.ts';

const EVENT: Counters = {
  event_id: 1,
  event_title: '',
  event_slug: '',
  image: '',
  start_ts: 0,
  end_ts: 1,
  market_oracle_counter: 1,
  real_counter: 1,
  market_ui_counter: 1,
  settlement_delta: 0,
  display_delta: 0,
  internal_delta: 0,
  deleted_count: 0,
  via: 'timeline',
  stale: ['ui'],
  history_percent: 100,
  as_of: { seq: 0, ts: 0, ages_ms: { posts: null, oracle: null, ui: null, prices: null } },
};

describe('staleInputs', () => {
  it('names what the server calls stale in the record or in a heartbeat, of this account only', () => {
    const sources = ['posts/account_a', 'oracle/account_b', 'crypto', 'prices'];
    const status = { state: 'stale', reason: 'source', sources } as const;
    assert.deepEqual(staleInputs(EVENT, status, 'account_a'), ['posts', 'ui', 'prices']);
    assert.deepEqual(staleInputs(EVENT, { state: 'live' }, 'account_a'), ['ui']);
  });

  it('names all when nothing comes from the server at all', () => {
    const all = ['posts', 'oracle', 'ui', 'prices'];
    assert.deepEqual(staleInputs(EVENT, { state: 'down', reason: 'lost' }, 'account_a'), all);
    assert.deepEqual(staleInputs(EVENT, { state: 'resuming' }, 'account_a'), all);
    assert.deepEqual(staleInputs(EVENT, { state: 'stale', reason: 'graph', sources: [] }, 'account_a'), all);
  });
});

describe('statusFor', () => {
  const isShown = (account: string) => account === 'account_a';

  it('leaves out sources of accounts that are not shown', () => {
    const sources = ['posts/account_a', 'posts/account_b', 'prices'];
    const stale = { state: 'stale', reason: 'source', sources } as const;
    assert.deepEqual(statusFor(stale, isShown), { ...stale, sources: ['posts/account_a', 'prices'] });
    const others = { ...stale, sources: ['posts/account_b'] };
    assert.deepEqual(statusFor(others, isShown), { state: 'live' });
  });

  it('changes nothing else', () => {
    const graph = { state: 'stale', reason: 'graph', sources: [] } as const;
    for (const status of [graph, { state: 'live' }, { state: 'down', reason: 'lost' }] as const) {
      assert.equal(statusFor(status, isShown), status);
    }
  });
});

describe('inputAges', () => {
  it('grow since the last heartbeat, and leave out who never answered', () => {
    const heartbeat = {
      type: 'heartbeat',
      channel: 'heartbeat',
      epoch: 'e',
      ts: 1_000,
      seqs: {},
      ages_ms: { 'posts/account_a': 40, 'posts/account_b': 900, prices: 7 },
      stale: [],
      history_percent: {},
      events_known: true,
    } as const;
    assert.deepEqual(
      [...inputAges(heartbeat, 'account_a', 3_000)],
      [
        ['posts', 2_040],
        ['prices', 2_007],
      ],
    );
    assert.equal(inputAges(undefined, 'account_a', 3_000).size, 0);
  });
});
