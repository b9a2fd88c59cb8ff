import assert from 'node:assert/strict';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createListedEvents, isActive } from '../../../src/world/market/listed-events.ts';
import { createOracleCount } from '../../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { uiCount } from '../../../src/world/market/ui-count.ts';
import { START_AT, testBase } from '../open.ts';

describe('uiCount', () => {
  const base = testBase();
  const { overrides } = base;
  const timeline = createTimeline(base);
  const oracleCount = createOracleCount({ ...base, timeline, sync: createOracleSync(base) });
  const active = createListedEvents(base)
    .listed(START_AT)
    .filter((event) => event.subject.type === 'posts' && isActive(event, START_AT));

  it('shows what the oracle counts one to four minutes later, whenever the page is refreshed', () => {
    assert.equal(active.length, 8);
    for (const event of active) {
      for (const offset of [0, 47_000, 101_000, 163_000]) {
        const setAt = START_AT + offset;
        overrides.oracleTotals.set(event.id, { value: 9_999, at: setAt });
        let lagMs = 0;
        while (uiCount(overrides, oracleCount, event, setAt + lagMs) !== 9_999) lagMs += 1_000;
        assert.ok(lagMs >= 60_000 && lagMs <= 240_000, String(lagMs));
      }
      overrides.oracleTotals.delete(event.id);
    }
  });

  it('never goes down while the count lasts', () => {
    for (const event of active) {
      let before = 0;
      for (let now = START_AT; now < START_AT + 3_600_000; now += 20_000) {
        const count = uiCount(overrides, oracleCount, event, now) ?? -1;
        assert.ok(count >= before);
        before = count;
      }
    }
  });
});
