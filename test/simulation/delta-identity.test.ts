import assert from 'node:assert/strict';
import { createDeltaIdentity } from './delta-identity.ts';
import { createViolations } from './violations.ts';

const RECORD = {
  event_id: 5,
  market_oracle_counter: 7,
  real_counter: 10,
  market_ui_counter: 6,
  settlement_delta: 3,
  display_delta: 4,
  internal_delta: -1,
};

/** How many records of those given are found wrong. */
function wrong(...records: readonly object[]): number {
  const violations = createViolations(() => 0);
  const check = createDeltaIdentity(violations);
  for (const record of records) check({ channel: 'counters', account: 'a', key: '5', record: { ...record } });
  assert.equal(violations.checked.get(10), records.length);
  return violations.found.length;
}

describe('createDeltaIdentity', () => {
  it('finds nothing wrong with differences, nor with unknown ones', () => {
    const unknown = { ...RECORD, real_counter: null, settlement_delta: null, display_delta: null };
    assert.equal(wrong(RECORD, unknown), 0);
  });

  it('finds a wrong difference, a missing one, and one of nothing', () => {
    for (const name of ['settlement_delta', 'display_delta', 'internal_delta'])
      assert.equal(wrong({ ...RECORD, [name]: 9 }, { ...RECORD, [name]: null }), 2);
    assert.equal(wrong({ ...RECORD, market_ui_counter: null }), 1);
  });
});
