import assert from 'node:assert/strict';
import { snowflake } from '../../../src/world/life/snowflake.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createOracleCount } from '../../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../../src/world/market/oracle-sync.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

function open() {
  const base = testBase();
  const timeline = createTimeline(base);
  const sync = createOracleSync(base);
  return { ...base, timeline, sync, oracleCount: createOracleCount({ ...base, timeline, sync }) };
}

const window = { startAt: START_AT - 60 * DAY_MS, endAt: START_AT - DAY_MS };

describe('createOracleCount', () => {
  it('differs from the true count a little, in both directions', () => {
    const { oracleCount, timeline } = open();
    const counted = timeline.countedBetween('a', window.startAt, window.endAt);
    const total = oracleCount.countOf('a', window, START_AT);
    assert.notEqual(total, counted);
    assert.ok(Math.abs(total - counted) < 0.02 * counted, `${total} ${counted}`);
    assert.ok(oracleCount.imports('a', window, START_AT).some(({ post }) => post.kind === 'reply'));
  });

  it('never goes down as time passes and ends where its imports end', () => {
    const { oracleCount } = open();
    const short = { startAt: START_AT - DAY_MS, endAt: START_AT + DAY_MS };
    let before = 0;
    for (let now = START_AT - DAY_MS; now < START_AT + 2 * DAY_MS; now += 7 * MINUTE_MS) {
      const total = oracleCount.countOf('a', short, now);
      assert.ok(total >= before);
      before = total;
    }
    assert.equal(before, oracleCount.imports('a', short, START_AT + 2 * DAY_MS).length);
  });

  it('takes some posts in late, most within one sync', () => {
    const { oracleCount } = open();
    const delays = oracleCount
      .imports('a', window, START_AT)
      .map(({ post, importedAt }) => importedAt - post.createdAt);
    const late = delays.filter((delay) => delay > 7 * MINUTE_MS).length / delays.length;
    assert.ok(late > 0.02 && late < 0.15, String(late));
    const median = [...delays].sort((left, right) => left - right)[delays.length >> 1] ?? 0;
    assert.ok(median > 100_000 && median < 220_000, String(median));
  });

  it('keeps a deleted post that a sync has seen and never sees one that was gone before', () => {
    const { oracleCount, overrides, sync } = open();
    const syncAt = sync.nextAt('a', START_AT + 10 * HOUR_MS);
    const short = { startAt: syncAt - 4 * MINUTE_MS, endAt: syncAt };
    const before = oracleCount.countOf('a', short, syncAt + HOUR_MS);
    for (const [number, secondsUp] of [30, 300].entries()) {
      const createdAt = syncAt - 100_000 + number;
      const id = snowflake(createdAt, number);
      overrides.posts.push({
        id,
        account: 'a',
        kind: 'original',
        createdAt,
        shownAt: createdAt,
        text: null,
        parentId: null,
      });
      overrides.deletions.set(id, createdAt + secondsUp * 1000);
      overrides.changedFrom.push(createdAt);
    }
    assert.equal(oracleCount.countOf('a', short, syncAt + HOUR_MS), before + 1);
  });

  it('counts the same by day and by row', () => {
    const { oracleCount } = open();
    for (const now of [START_AT - 3 * DAY_MS, START_AT - 90 * MINUTE_MS, START_AT]) {
      const wide = { startAt: START_AT - 9 * DAY_MS, endAt: START_AT };
      const hours = oracleCount.hourly('a', wide, now).reduce((sum, hour) => sum + hour.count, 0);
      assert.equal(oracleCount.countOf('a', wide, now), hours);
      assert.equal(oracleCount.imports('a', wide, now).length, hours);
    }
  });
});
