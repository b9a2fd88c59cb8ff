import assert from 'node:assert/strict';
import { createRemainingTime } from './remaining-time.ts';
import { createViolations } from './violations.ts';

function isRight(record: Readonly<Record<string, unknown>>): boolean {
  const violations = createViolations(() => 0);
  createRemainingTime(violations)({ channel: 'prediction', account: 'a', key: '5', record });
  assert.equal(violations.checked.get(14), 1);
  return violations.found.length === 0;
}

describe('createRemainingTime', () => {
  it('finds nothing wrong with whole seconds from 0 on', () => {
    assert.ok(isRight({ seconds_remaining: 0 }));
    assert.ok(isRight({ prediction: { seconds_remaining: 7 } }));
  });

  it('finds negative and broken ones, inside of a record too', () => {
    assert.ok(!isRight({ seconds_remaining: -1 }));
    assert.ok(!isRight({ seconds_remaining: 0.5 }));
    assert.ok(!isRight({ prediction: { seconds_remaining: -7 } }));
  });
});
