import assert from 'node:assert/strict';
import { restoredAges } from '../../src/engine/restored-ages.ts';
import { createLatest } from '../../src/views/latest.ts';
import type { TickFact } from '../../streams/internal.ts';
import { bucket, eventOutput, NOON } from '../support/outputs.ts';

const DAY_MS = 86_400_000;

describe('restoredAges', () => {
  const sources = [{ name: 'prices' }, { name: 'ui:a' }];
  const restored = (fact: Pick<TickFact, 'ages' | 'lagging'>, latest = createLatest(), priced = ['7']) =>
    restoredAges(
      { receivedAt: NOON, fact },
      { sources, latest, lookups: { hasBook: (token) => priced.includes(token) } },
    );
  const latestWith = (at: number, phase: 'active' | 'closed' = 'active') => {
    const latest = createLatest();
    latest.load([eventOutput({ eventId: 5, phase, buckets: [bucket({ yesToken: '7' })] }, { at })]);
    return latest;
  };

  it('are those of the last tick, without sources that there are no more', () => {
    assert.deepEqual(restored({ ages: { 'posts:c': 1, prices: 2 } }), { ages: { prices: 2 } });
    const lagging = { 'posts:c': { 1: 9 }, 'ui:a': { 2: 8 } };
    assert.deepEqual(restored({ ages: { 'ui:a': 2 }, lagging }), {
      ages: { 'ui:a': 2 },
      lagging: { 'ui:a': { 2: 8 } },
    });
  });

  it('do not tell how old the prices of an event are that has changed since, as its buckets may be others', () => {
    const fact = { ages: { prices: 2 }, lagging: { prices: { 4: 70_000 } } };
    assert.deepEqual(restored(fact, latestWith(NOON - 1)), fact);
    for (const at of [NOON, NOON + 1])
      assert.deepEqual(restored(fact, latestWith(at)), {
        ages: { prices: 2 },
        lagging: { prices: { 4: 70_000, 5: DAY_MS } },
      });
  });

  it('are untold of no event without prices, or that is over', () => {
    const fact = { ages: { prices: 2 } };
    assert.deepEqual(restored(fact, latestWith(NOON), []), fact);
    assert.deepEqual(restored(fact, latestWith(NOON, 'closed')), fact);
  });
});
