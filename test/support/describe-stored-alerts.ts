import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';

/** What every store does with rows of alerts. */
export function describeStoredAlerts(
  withStore: (use: (store: Store) => Promise<void>) => Promise<void>,
): void {
  it('keeps rows of alerts by kind, rule and number, and removes them', () =>
    withStore(async ({ alerts }) => {
      const row = (rule: string, n: number) => ({
        place: ['waiting', rule, n] as const,
        text: `${rule} ${n}`,
      });
      assert.deepEqual(alerts.rows('waiting'), []);
      await alerts.write({
        put: [row('b', 1), row('a', 10), row('a', 9), { place: ['rule', 'a', 0], text: 'x' }],
        remove: [],
      });
      assert.deepEqual(alerts.rows('waiting'), [row('a', 9), row('a', 10), row('b', 1)]);
      assert.deepEqual(alerts.rows('waiting', 'a'), [row('a', 9), row('a', 10)]);
      assert.deepEqual(alerts.rows('dead'), []);
      await alerts.write({ put: [{ ...row('a', 10), text: 'new' }], remove: [['waiting', 'a', 9]] });
      assert.deepEqual(alerts.rows('waiting', 'a'), [{ ...row('a', 10), text: 'new' }]);
      assert.equal(alerts.rows('rule')[0]?.text, 'x');
    }));
}
