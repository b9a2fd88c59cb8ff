import assert from 'node:assert/strict';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { countersOutput } from '../support/outputs.ts';
import { createShownCounters } from './shown-counters.ts';
import { createViolations } from './violations.ts';

describe('createShownCounters', () => {
  /** What is found of a record that tells this count, while the streams had 7 of observation 5. */
  async function foundOf(real: number | null, seq: number, channel = 'counters') {
    const kept = createMemoryStore();
    const violations = createViolations(() => 0);
    await kept.outputs.append([countersOutput({ eventId: 3, real: 7, oracle: 6, ui: null }, { seq: 5 })], 5);
    const counters = { real_counter: real, market_oracle_counter: 6, market_ui_counter: null };
    const record = { event_id: 3, ...counters, as_of: { seq } };
    createShownCounters({ kept, violations })({ channel, account: 'account_a', key: '3', record });
    return violations.found.map(({ invariant }) => invariant);
  }

  it('finds a count that is not the one of the streams', async () => {
    assert.deepEqual(await foundOf(7, 5), []);
    assert.deepEqual(await foundOf(8, 5), [1]);
    assert.deepEqual(await foundOf(null, 6, 'prediction'), [1]);
  });

  it('does not compare what has changed since it was shown, nor other records', async () => {
    assert.deepEqual(await foundOf(8, 4), []);
    assert.deepEqual(await foundOf(8, 5, 'signals'), []);
  });
});
