import assert from 'node:assert/strict';
import { createTrueAges } from './true-ages.ts';
import { createViolations } from './violations.ts';

/** Whether these ages are right at 100 s, where the oracle was heard at 40 s unless given and nothing else ever. */
function isRight(ages: Readonly<Record<string, number | null>>, oracleAt = 40_000): boolean {
  const violations = createViolations(() => 0);
  const check = createTrueAges({
    heardAt: (eventId, input) => (eventId === '5' && input === 'oracle' ? oracleAt : undefined),
    violations,
  });
  const none = { posts: null, oracle: null, ui: null, prices: null };
  const record = { event_id: 5, as_of: { ages_ms: { ...none, ...ages } } };
  check({ channel: 'counters', account: 'a', key: '5', record }, { askedAt: 100_000, path: '/' });
  return violations.found.length === 0;
}

describe('createTrueAges', () => {
  it('takes ages that are true or higher, and those of which it knows nothing', () => {
    assert.ok(
      isRight({ oracle: 60_000 }) && isRight({ oracle: 90_000 }) && isRight({ posts: 1 }) && isRight({}),
    );
    assert.ok(isRight({ oracle: 86_400_000 }, -86_400_000) && !isRight({ oracle: 86_399_000 }, -86_400_000));
  });

  it('finds an age that is lower', () => {
    assert.ok(!isRight({ oracle: 58_000 }));
  });
});
