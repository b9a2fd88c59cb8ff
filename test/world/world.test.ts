import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createTimeline } from '../../src/world/life/timeline.ts';
import { createListedEvents, isActive } from '../../src/world/market/listed-events.ts';
import { createOracleCount } from '../../src/world/market/oracle-count.ts';
import { createOracleSync } from '../../src/world/market/oracle-sync.ts';
import { createSettlement } from '../../src/world/market/settlement.ts';
import { USUAL_SIZE, type WorldSize } from '../../src/world/size.ts';
import { openWorld } from '../../src/world/world.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { at, list, openTestWorld, START_AT, type TestWorld, testBase } from './open.ts';

/** The world's answers at an instant, role by role. */
async function picture(test: TestWorld, now: number): Promise<readonly string[]> {
  test.clock.at = now;
  const { addresses } = test.world;
  const [a, b] = addresses.accounts;
  const replies = await Promise.all([
    test.posts(`/2/users/${a?.userId}/tweets?max_results=100&tweet.fields=created_at,referenced_tweets`),
    test.posts(`/2/users/${b?.userId}/tweets?max_results=100&tweet.fields=created_at`),
    test.get(`${addresses.oracle}/users/${a?.handle}/trackings`),
    test.get(`${addresses.oracle}/users`),
    test.get(`${addresses.market}/events?limit=500`),
    test.get(`${addresses.positions}/positions?user=${addresses.wallets.mixed}`),
    test.get(`${addresses.cryptoRest}/api/v3/ticker/price?symbol=BTCUSDT`),
  ]);
  assert.ok(replies.every((reply) => reply.status === 200));
  return replies.map((reply) => reply.text);
}

describe('openWorld', () => {
  it('is the same world for the same seed and start, and goes on alike when opened later', async () => {
    const [first, second, other] = [
      await openTestWorld(11),
      await openTestWorld(11),
      await openTestWorld(12),
    ];
    const early = await picture(first, START_AT + 5 * MINUTE_MS);
    const late = await picture(first, START_AT + 3 * DAY_MS + 7 * HOUR_MS);
    assert.deepEqual(await picture(second, START_AT + 3 * DAY_MS + 7 * HOUR_MS), late);
    assert.deepEqual(await picture(second, START_AT + 5 * MINUTE_MS), early);
    assert.notDeepEqual(await picture(other, START_AT + 5 * MINUTE_MS), early);
    await Promise.all([first, second, other].map((test) => test.world.close()));
  });

  it('shows the same of A and B whether there are two accounts or twenty', async () => {
    const worlds = [await openTestWorld(11), await openTestWorld(11, START_AT, 20)];
    const pictures = [];
    for (const test of worlds) {
      const texts: string[] = [];
      for (const now of [START_AT + 5 * MINUTE_MS, START_AT + 2 * DAY_MS]) {
        test.clock.at = now;
        const { addresses } = test.world;
        for (const { userId, handle, seriesSlugs } of addresses.accounts.slice(0, 2)) {
          const series = seriesSlugs.map((slug) => `series_slug=${slug}`).join('&');
          const replies = await Promise.all([
            test.posts(`/2/users/${userId}/tweets?max_results=100&tweet.fields=created_at`),
            test.get(`${addresses.oracle}/users/${handle}`),
            test.get(`${addresses.market}/events?limit=500&${series}`),
            test.get(`${addresses.market}/events?limit=500&closed=true&${series}`),
          ]);
          assert.ok(replies.every((reply) => reply.status === 200 && reply.text.length > 2_000));
          texts.push(...replies.map((reply) => reply.text));
        }
      }
      pictures.push(texts);
      await test.world.close();
    }
    assert.deepEqual(pictures[1], pictures[0]);
  });

  it('has only as much as its size says, and of that the same posts', async () => {
    const size: WorldSize = {
      historyDays: 3,
      hasSilences: false,
      settledDays: 2,
      series: ['two-days'],
      buckets: 4,
      priceEvents: 'hourly',
      bookPeriodMs: 10_000,
      spotPeriodMs: 10_000,
    };
    const small = await openWorld({ seed: 11, startAt: START_AT, now: () => START_AT, size });
    const usual = await openTestWorld(11);
    const texts = await Promise.all(
      [small, usual.world].map(async ({ addresses }) => {
        const headers = { authorization: `Bearer ${addresses.postsToken}` };
        const [a] = addresses.accounts;
        const answer = await fetch(`${addresses.posts}/2/users/${a?.userId}/tweets?max_results=100`, {
          headers,
        });
        return answer.text();
      }),
    );
    assert.equal(texts[0], texts[1]);
    const { addresses } = small;
    const eventsThere = async (query: string) => {
      const answer = await fetch(`${addresses.market}/events?limit=500&${query}`);
      return list(await answer.json());
    };
    const events = [...(await eventsThere('')), ...(await eventsThere('closed=true'))];
    const ofPosts = events.filter((event) => list(event, 'tags').some((tag) => tag.slug === 'post-markets'));
    assert.ok(ofPosts.length >= 4 && ofPosts.length < 12, String(ofPosts.length));
    for (const event of ofPosts) assert.equal(list(event, 'markets').length, 4);
    for (const event of events) assert.ok(list(event, 'markets').length <= 4);
    const oracle = await fetch(`${addresses.oracle}/users/${addresses.accounts[0]?.handle}`);
    const counted = Number(at(await oracle.json(), 'data', '_count', 'posts'));
    assert.ok(counted > 100 && counted < 1_000, String(counted));
    await Promise.all([small.close(), usual.world.close()]);
  });

  it('posts less where everybody may be silent', () => {
    const counts = [false, true].map((hasSilences) => {
      const timeline = createTimeline({ ...testBase(), size: { ...USUAL_SIZE, hasSilences } });
      const { posts } = timeline.day('a', -1);
      return { all: posts.length, counted: timeline.countedBetween('a', START_AT - 2 * DAY_MS, START_AT) };
    });
    const [usual, silent] = counts;
    assert.ok(usual !== undefined && silent !== undefined && silent.all < usual.all - 50);
    assert.equal(silent.counted, usual.counted);
  });

  it('serves its addresses, so that another process can be pointed at it', async () => {
    const test = await openTestWorld();
    const { json } = await test.get(`${test.world.url}/control/addresses`);
    assert.deepEqual(json, JSON.parse(JSON.stringify(test.world.addresses)));
    assert.equal((await test.get(`${test.world.url}/nowhere`)).status, 404);
    await test.world.close();
  });

  it('runs its own clock from its start when it is given none', async () => {
    const before = performance.now();
    const world = await openWorld({ seed: 1, startAt: START_AT });
    const now = Number(world.control.state().now);
    assert.ok(now >= START_AT && now <= START_AT + performance.now() - before);
    await world.close();
  });

  it('dates its answers by its own clock', async () => {
    const world = await openWorld({ seed: 1, now: () => START_AT });
    const { headers } = await fetch(`${world.url}/control/addresses`);
    assert.equal(Date.parse(headers.get('date') ?? ''), Math.floor(START_AT / 1_000) * 1_000);
    await world.close();
  });

  it('rejects when its port is taken', async () => {
    const first = await openWorld({ seed: 1 });
    await assert.rejects(openWorld({ seed: 1, port: Number(new URL(first.url).port) }), {
      code: 'EADDRINUSE',
    });
    await first.close();
  });

  it('has an active open event of each account at any instant of a year', () => {
    const base = testBase();
    const timeline = createTimeline(base);
    const listedEvents = createListedEvents(base);
    const settlement = createSettlement({
      ...base,
      oracleCount: createOracleCount({ ...base, timeline, sync: createOracleSync(base) }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 365 * DAY_MS }), fc.constantFrom('a', 'b'), (offset, account) => {
        const now = START_AT + offset;
        const active = listedEvents
          .listed(now)
          .filter(
            ({ subject, ...event }) =>
              subject.type === 'posts' &&
              subject.account.id === account &&
              isActive({ ...event, subject }, now),
          );
        assert.ok(active.every((event) => !settlement.phase(event, now).isClosed));
        return active.length === 4;
      }),
      { numRuns: 50 },
    );
  });
});
