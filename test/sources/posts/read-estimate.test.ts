import assert from 'node:assert/strict';
import { createLookPlan } from '../../../src/sources/posts/look-plan.ts';
import { readsPerPost } from '../../../src/sources/posts/read-estimate.ts';
import { SOURCE_SETTINGS } from '../../../src/sources/settings.ts';
import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';

/** From a quiet to a very busy day of an account. */
const POSTS_A_DAY = [50, 80, 120, 300];
const SYNC_MS = 5 * MINUTE_MS;
/** Posts in an answer for each one asked for: most refer to another. */
const PER_SIGHT = 2;

interface DayReads {
  readonly timeline: number;
  readonly lookups: number;
}

/** The reads of a day with `posts` evenly spread, two of three of them counted, after such a day. */
function readsOfDay(posts: number): DayReads {
  const { deletionsPeriodMs, deletionsHorizonMs, postsRecheckPeriodMs } = SOURCE_SETTINGS;
  const plan = createLookPlan(deletionsPeriodMs);
  const everyMs = DAY_MS / posts;
  let timeline = 0;
  let lookups = 0;
  let recheckAt = 0;
  let live: { id: string; createdAt: number; isCounted: boolean }[] = [];
  let made = 0;
  for (let now = -DAY_MS; now < DAY_MS; now += deletionsPeriodMs) {
    for (; -DAY_MS + made * everyMs <= now; made++) {
      live.push({ id: String(made), createdAt: -DAY_MS + made * everyMs, isCounted: made % 3 !== 0 });
      if (now >= 0) timeline += PER_SIGHT;
    }
    live = live.filter(({ createdAt }) => createdAt > now - deletionsHorizonMs);
    if (now >= recheckAt) {
      recheckAt = now + postsRecheckPeriodMs;
      const young = live.filter(({ createdAt }) => createdAt > now - 2 * postsRecheckPeriodMs);
      if (now >= 0) timeline += PER_SIGHT * young.length;
    }
    for (const { id, createdAt, isCounted } of live) {
      const syncedAt = Math.ceil((createdAt + 15_000) / SYNC_MS) * SYNC_MS;
      const post = { id, createdAt, isCounted, oracleAt: isCounted && syncedAt <= now ? syncedAt : null };
      if (!plan.isDue(post, now)) continue;
      plan.looked(post, now, false);
      if (now >= 0) lookups += 1;
    }
  }
  return { timeline, lookups };
}

/** The newest hundred each minute, and every post of the last day twice a minute. */
function naiveReads(posts: number): number {
  return PER_SIGHT * (DAY_MS / MINUTE_MS) * 100 + 2 * (DAY_MS / MINUTE_MS) * Math.min(300, posts);
}

describe('readsPerPost', () => {
  it('tells what a day of an account costs at most', () => {
    const { all } = readsPerPost(SOURCE_SETTINGS);
    for (const posts of POSTS_A_DAY) {
      const { timeline, lookups } = readsOfDay(posts);
      const simulated = (timeline + lookups) / posts;
      assert.ok(simulated <= all && simulated >= 0.75 * all, `${simulated} a post, told ${all}`);
    }
  });

  it('is less than a fiftieth of what it would be to read everything over and over', () => {
    for (const posts of POSTS_A_DAY) {
      const { timeline, lookups } = readsOfDay(posts);
      assert.ok(
        50 * (timeline + lookups) < naiveReads(posts),
        `${timeline + lookups} of ${naiveReads(posts)}`,
      );
    }
  });

  it('keeps a month of two busy accounts far below three million reads', () => {
    const { timeline, lookups } = readsOfDay(300);
    assert.ok(2 * 31 * (timeline + lookups) < 3_000_000 / 5);
  });

  it('follows the settings', () => {
    const rare = readsPerPost({ ...SOURCE_SETTINGS, deletionsPeriodMs: 10 * MINUTE_MS });
    const { lookups } = readsPerPost(SOURCE_SETTINGS);
    assert.ok(rare.lookups < lookups);
    assert.equal(readsPerPost({ ...SOURCE_SETTINGS, deletionsHorizonMs: 0 }).lookups, 0);
  });
});
