import assert from 'node:assert/strict';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { countersOutput, eventOutput } from '../support/outputs.ts';
import { createDeliveredPosts } from './delivered-posts.ts';
import { createKernel } from './kernel.ts';
import { createViolations } from './violations.ts';

const START_AT = Date.parse('2026-11-04T12:00:00Z');
const END_AT = Date.parse('2026-11-06T12:00:00Z');
const ACCOUNT = { id: 'a', userId: '7', handle: 'account_a_handle' };
const life = { name: 'engine 1' };
const TIMELINE = new URL('http://world.test/posts-api/2/users/7/tweets');
const LIST = new URL('http://world.test/oracle/api/users/account_a_handle/posts');
const nothingGone = () => false;
const WINDOW = { eventId: 5, slug: 'event-5', account: 'a', startAt: START_AT, endAt: END_AT };

/** A post of the timeline in the middle of the window. */
function post(id: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    created_at: '2026-11-05T00:00:00.000Z',
    author_id: '7',
    edit_history_tweet_ids: [id],
    ...fields,
  };
}

/** What is delivered, and the count that is shown then. */
async function stage(real: number | null, { pollMs = 0, calendar = END_AT } = {}) {
  const kernel = createKernel();
  const kept = createMemoryStore();
  const violations = createViolations(() => 0);
  const delivered = createDeliveredPosts({
    kernel,
    kept,
    accounts: [ACCOUNT],
    violations,
    pollMs: () => pollMs,
    calendar: () => calendar,
  });
  const subject = { type: 'posts', account: 'a' } as const;
  const event = eventOutput(
    { eventId: 5, startAt: START_AT, endAt: END_AT, phase: 'active', subject },
    { seq: 1 },
  );
  await kept.outputs.append([event, countersOutput({ eventId: 5, real }, { seq: 1 })], 1);
  const timeline = (...data: readonly unknown[]) =>
    delivered.onRead(life, TIMELINE, JSON.stringify({ data, meta: { result_count: data.length } }));
  const list = (...data: readonly unknown[]) =>
    delivered.onRead(life, LIST, JSON.stringify({ success: true, data }));
  const isExact = async (isGone = nothingGone, present = life, window = WINDOW) => {
    await kernel.run(10_000);
    delivered.checkExact(present, [window], isGone);
    return violations.found.length === 0;
  };
  const isNotAbove = () => {
    delivered.checkNotAbove();
    return violations.found.length === 0;
  };
  return { kernel, delivered, timeline, list, isExact, isNotAbove };
}

describe('createDeliveredPosts', () => {
  it('counts each kind as the market does', async () => {
    const refer = (type: string) => ({ referenced_tweets: [{ type, id: '1' }] });
    const { timeline, isExact } = await stage(4);
    timeline(
      post('11'),
      post('12', refer('quoted')),
      post('13', refer('retweeted')),
      post('14', { ...refer('replied_to'), in_reply_to_user_id: '7' }),
      post('15', { ...refer('replied_to'), in_reply_to_user_id: '8' }),
      post('16', { ...refer('retweeted'), community_id: '3' }),
      post('17', { author_id: '8' }),
    );
    assert.ok(await isExact());
  });

  it('counts a post once, by its first version, inside of the half-open window, whoever shows it', async () => {
    const { timeline, list, isExact } = await stage(3);
    timeline(post('11'), post('12', { edit_history_tweet_ids: ['11', '12'] }));
    timeline(
      post('21', { created_at: '2026-11-04T12:00:00.000Z' }),
      post('22', { created_at: '2026-11-04T11:59:59.999Z' }),
      post('23', { created_at: '2026-11-06T12:00:00.000Z' }),
    );
    list(
      { platformId: '11', createdAt: '2026-11-05T00:00:00.000Z' },
      { platformId: '31', createdAt: '2026-11-06T11:59:59.000Z' },
    );
    assert.ok(await isExact());
  });

  it('finds a count that is too low or too high', async () => {
    for (const real of [1, 3]) {
      const { timeline, isExact } = await stage(real);
      timeline(post('11'), post('12'));
      assert.equal(await isExact(), false);
    }
    const above = await stage(1);
    assert.equal(above.isNotAbove(), false);
    const below = await stage(0);
    below.timeline(post('11'));
    assert.ok(below.isNotAbove());
  });

  it('finds a count that is not known, and a window that is not that of the world', async () => {
    const unknown = await stage(null);
    assert.equal(await unknown.isExact(), false);
    for (const moved of [{ startAt: START_AT + 1 }, { endAt: END_AT + 1 }, { eventId: 6 }]) {
      const { isExact } = await stage(0);
      assert.equal(await isExact(nothingGone, life, { ...WINDOW, ...moved }), false);
    }
  });

  it('excuses what was just delivered, and what only the dead have read and was deleted', async () => {
    const fresh = await stage(0);
    fresh.timeline(post('11'));
    fresh.delivered.checkExact(life, [WINDOW], nothingGone);
    assert.ok(fresh.isNotAbove());
    const next = { name: 'engine 2' };
    const lost = await stage(0);
    lost.timeline(post('11'));
    assert.ok(await lost.isExact(() => true, next));
    const standing = await stage(0);
    standing.timeline(post('11'));
    assert.equal(await standing.isExact(nothingGone, next), false);
  });

  it('excuses what was deleted before the clock was right of a machine that takes it for a post of the future', async () => {
    for (const [behindMs, isExcused] of [
      [300_001, true],
      [300_000, false],
    ] as const) {
      const calendar = Date.parse('2026-11-05T00:00:00.000Z') - behindMs;
      const deleted = await stage(0, { calendar });
      deleted.timeline(post('11'));
      assert.equal(await deleted.isExact(() => true), isExcused);
      const standing = await stage(0, { calendar });
      standing.timeline(post('11'));
      assert.equal(await standing.isExact(), false);
    }
  });

  it('gives what was read beside the polls until after the next one', async () => {
    const { timeline, isExact } = await stage(0, { pollMs: 12_000 });
    timeline(post('11'));
    assert.ok(await isExact());
    assert.equal(await isExact(), false);
  });

  it('takes nothing from spoiled answers', async () => {
    const { delivered, timeline, isExact } = await stage(0);
    delivered.onRead(life, TIMELINE, '{"data":[');
    delivered.onRead(life, TIMELINE, '<html>');
    delivered.onRead(life, LIST, '{"success":true}');
    timeline({ ...post('11'), id: 11 }, null);
    assert.ok(await isExact());
  });

  it('lets a post whose flags have changed be counted or not', async () => {
    const reply = { referenced_tweets: [{ type: 'replied_to', id: '1' }], in_reply_to_user_id: '8' };
    for (const real of [1, 2]) {
      const { timeline, isExact, isNotAbove } = await stage(real);
      timeline(post('11'), post('12'));
      timeline(post('12', reply));
      assert.ok(isNotAbove() && (await isExact()));
    }
    for (const real of [0, 3]) {
      const { timeline, isExact } = await stage(real);
      timeline(post('11'), post('12'));
      timeline(post('12', reply));
      assert.ok(!(await isExact()));
    }
  });
});
