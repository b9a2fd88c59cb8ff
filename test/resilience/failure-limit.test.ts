import assert from 'node:assert/strict';
import { createFailureLimit } from '../../src/resilience/failure-limit.ts';
import { MINUTE_MS } from '../../streams/internal.ts';

describe('createFailureLimit', () => {
  it('tolerates so many failures of an address within a minute of the first', () => {
    const limit = createFailureLimit(2);
    assert.deepEqual(
      [0, 1, 2].map((nowMs) => limit.count('a', nowMs)),
      [0, 0, MINUTE_MS - 2],
    );
    assert.equal(limit.waitMs('a', 10_000), MINUTE_MS - 10_000);
    assert.equal(limit.waitMs('b', 10_000), 0);
    assert.equal(limit.waitMs('a', 2 * MINUTE_MS), 0);
    assert.equal(limit.count('a', MINUTE_MS), 0);
    assert.equal(limit.waitMs('a', MINUTE_MS), 0);
  });

  it('holds nobody to a minute that a corrected calendar has not reached yet', () => {
    const limit = createFailureLimit(1);
    limit.count('a', 60 * MINUTE_MS);
    assert.equal(limit.count('a', 60 * MINUTE_MS), MINUTE_MS);
    assert.equal(limit.waitMs('a', 0), 0);
    assert.equal(limit.count('a', 0), 0);
    assert.equal(limit.count('a', 1), MINUTE_MS - 1);
  });

  it('forgets the address whose minute began first when a flood of others comes', () => {
    const limit = createFailureLimit(1);
    limit.count('first', 0);
    limit.count('second', 0);
    assert.equal(limit.count('first', 1), MINUTE_MS - 1);
    for (let address = 0; address < 9_999; address++) limit.count(String(address), 1);
    assert.equal(limit.waitMs('first', 1), 0);
    assert.equal(limit.waitMs('second', 1), MINUTE_MS - 1);
  });
});
