import assert from 'node:assert/strict';
import { createStaleActions } from './stale-actions.ts';
import { createViolations } from './violations.ts';

const LIMITS_MS = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };

/** Whether the record is right where posts were heard of so long ago. */
function isRight(record: Readonly<Record<string, unknown>>, postsAgeMs = 0): boolean {
  const violations = createViolations(() => 0);
  const stale = createStaleActions({
    heardAt: (_, input) => (input === 'posts' ? 100_000 - postsAgeMs : undefined),
    limitsMs: () => LIMITS_MS,
    violations,
  });
  const shown = { channel: 'signals', account: 'a', key: '5', record };
  stale.onRecord(shown);
  stale.onAnswer(shown, { askedAt: 100_000, path: '/' });
  assert.ok((violations.checked.get(12) ?? 0) > 0);
  return violations.found.length === 0;
}

const ADVICE = [
  ['signals', { event_id: 5, signals: [{ action: 'BUY' }] }, { event_id: 5, signals: [{ action: 'SKIP' }] }],
  ['orders', { event_id: 5, signals: [], SELL: [{}] }, { event_id: 5, signals: [], BUY: [], SELL: [] }],
  [
    'a prediction',
    { event_id: 5, markets: [{ signal: 'STRONG_BUY' }] },
    { event_id: 5, markets: [{ signal: 'HOLD' }] },
  ],
  [
    'a portfolio',
    { event: { id: 5 }, positions: [{ sizing: { action: 'TRIM' } }] },
    { event: { id: 5 }, positions: [{ sizing: { action: null } }, {}] },
  ],
  [
    'rebalancing',
    { event: { id: 5 }, adjustments: [{ action: 'ADD_MORE' }] },
    { event: { id: 5 }, adjustments: [] },
  ],
] as const;

describe('createStaleActions', () => {
  for (const [name, action, none] of ADVICE)
    it(`finds ${name} that tell somebody to trade on stale input, by their own word or by the world's`, () => {
      assert.ok(isRight({ ...action, stale: [] }) && isRight({ ...none, stale: ['posts'] }, 60_000));
      assert.ok(!isRight({ ...action, stale: ['ui'] }));
      assert.ok(!isRight({ ...action, stale: [] }, 13_000));
      assert.ok(isRight({ ...none, stale: [] }, 13_000));
    });
});
