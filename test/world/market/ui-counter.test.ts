import assert from 'node:assert/strict';
import { createSteering } from '../../../src/world/control/steering.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createCatalog, isActive } from '../../../src/world/market/catalog.ts';
import { createSync } from '../../../src/world/market/sync.ts';
import { createTally } from '../../../src/world/market/tally.ts';
import { uiCount } from '../../../src/world/market/ui-counter.ts';
import { START_AT } from '../open.ts';

describe('uiCount', () => {
  const steering = createSteering();
  const base = { seed: 7, startAt: START_AT, steering };
  const timeline = createTimeline(base);
  const tally = createTally({ ...base, timeline, sync: createSync(base) });
  const active = createCatalog(base)
    .listed(START_AT)
    .filter((event) => event.subject.type === 'posts' && isActive(event, START_AT));

  it('shows what the oracle counts one to four minutes later, whenever the page is refreshed', () => {
    assert.equal(active.length, 8);
    for (const event of active) {
      for (const offset of [0, 47_000, 101_000, 163_000]) {
        const setAt = START_AT + offset;
        steering.oracleTotals.set(event.id, { value: 9_999, at: setAt });
        let lagMs = 0;
        while (uiCount(steering, tally, event, setAt + lagMs) !== 9_999) lagMs += 1_000;
        assert.ok(lagMs >= 60_000 && lagMs <= 240_000, String(lagMs));
      }
      steering.oracleTotals.delete(event.id);
    }
  });

  it('never goes down while the count lasts', () => {
    for (const event of active) {
      let before = 0;
      for (let now = START_AT; now < START_AT + 3_600_000; now += 20_000) {
        const count = uiCount(steering, tally, event, now) ?? -1;
        assert.ok(count >= before);
        before = count;
      }
    }
  });
});
