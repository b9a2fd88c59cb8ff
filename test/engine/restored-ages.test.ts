import assert from 'node:assert/strict';
import { restoredAges } from '../../src/engine/restored-ages.ts';
import { createLatest } from '../../src/views/latest.ts';
import type { TickAges } from '../../streams/internal.ts';
import { eventOutput } from '../support/outputs.ts';

const DAY_MS = 86_400_000;
const TICK_AT = 40_000;

describe('restoredAges', () => {
  const sources = [{ name: 'prices' }, { name: 'ui:a' }, { name: 'oracle:a' }];
  const restored = (fact: TickAges, latest = createLatest()) =>
    restoredAges({ receivedAt: TICK_AT, fact }, { sources, latest });
  const latestWith = (at: number, phase: 'active' | 'closed' = 'active') => {
    const latest = createLatest();
    const subject = { type: 'posts', account: 'a' } as const;
    latest.load([eventOutput({ eventId: 5, trackingId: 'w', subject, phase }, { at })]);
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

  it('do not tell how old the values of an event are that has changed since, or in the turn of the tick', () => {
    const fact = { ages: { 'oracle:a': 1, 'ui:a': 2, prices: 3 }, lagging: { prices: { 4: 70_000 } } };
    assert.deepEqual(restored(fact, latestWith(TICK_AT - 1)), fact);
    for (const at of [TICK_AT, TICK_AT + 1])
      assert.deepEqual(restored(fact, latestWith(at)), {
        ages: fact.ages,
        lagging: { 'oracle:a': { w: DAY_MS }, 'ui:a': { 5: DAY_MS }, prices: { 4: 70_000, 5: DAY_MS } },
      });
  });

  it('are told of an event that is over, and of sources that never answered', () => {
    const fact = { ages: { prices: 2 } };
    assert.deepEqual(restored(fact, latestWith(TICK_AT, 'closed')), fact);
    assert.deepEqual(restored({ ages: { 'ui:a': 2 } }, latestWith(TICK_AT)), {
      ages: { 'ui:a': 2 },
      lagging: { 'ui:a': { 5: DAY_MS } },
    });
  });
});
