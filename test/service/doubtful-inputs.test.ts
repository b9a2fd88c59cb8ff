import assert from 'node:assert/strict';
import * as z from 'zod';
import { trackingId } from '../../src/world/wire/oracle-rest.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { readMeta, readTweets } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/service.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than a busy machine needs to ask for every total. */
const STALE_SECONDS = 15;
const PRO = { headers: { 'X-API-Key': 'demo_internal' } };
const Health = z.object({ status: z.string(), stale: z.array(z.string()), refusing: z.array(z.string()) });
const Signals = z.object({
  data: z.array(
    z.object({
      event_id: z.int(),
      signals: z.array(z.object({ action: z.string(), reason_codes: z.array(z.string()) })),
    }),
  ),
});

/** A service whose counts are all known. */
async function openCounting(flags: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const stage = await openStage({ startAt: START_AT, flags });
  await eventually('every event is counted', async () => {
    const { data } = await readMeta(stage.url(), 'account_a');
    return (
      data.length >= 3 &&
      data.every(
        ({ real_counter, market_oracle_counter }) => real_counter !== null && market_oracle_counter !== null,
      )
    );
  });
  return stage;
}

describe('the service with values that stop being answered', function () {
  this.timeout(200_000);
  let stage: Stage;
  const meta = async () => (await readMeta(stage.url(), 'account_a')).data;
  const health = async () => Health.parse(await (await checkedFetch(`${stage.url()}/api/v1/health`)).json());
  const signals = async () =>
    Signals.parse(await (await checkedFetch(`${stage.url()}/api/v1/signals/account_a`, PRO)).json()).data;
  before(async () => {
    stage = await openCounting({ staleSecondsOracle: String(STALE_SECONDS) });
  });
  after(() => stage.close());

  it('calls one total stale when it alone fails, and the others fresh', async () => {
    const [event, ...others] = await meta();
    assert.ok(event !== undefined && others.length > 0);
    await eventually('nothing is stale', async () => (await meta()).every(({ stale }) => stale.length === 0));
    stage.world.control.fault({ role: 'oracle', kind: 'status', contains: trackingId(event.event_id) });
    await eventually('it is stale', async () =>
      (await meta()).some(({ event_id, stale }) => event_id === event.event_id && stale.includes('oracle')),
    );
    const after = await meta();
    const own = after.find(({ event_id }) => event_id === event.event_id);
    assert.ok((own?.as_of.ages_ms.oracle ?? 0) > STALE_SECONDS * 1_000);
    await eventually('the others are fresh', async () =>
      (await meta()).every(
        ({ event_id, stale, as_of }) =>
          event_id === event.event_id ||
          (stale.length === 0 && (as_of.ages_ms.oracle ?? 0) <= STALE_SECONDS * 1_000),
      ),
    );
    // Health follows with the next tick.
    await eventually('health says so', async () => (await health()).stale.join() === 'oracle/account_a');
    stage.world.control.clearFaults();
    await eventually('it is fresh again', async () =>
      (await meta()).every(({ stale }) => stale.length === 0),
    );
  });

  it('advises nothing while every total fails, though the list of windows answers', async () => {
    stage.world.control.fault({ role: 'oracle', kind: 'status', contains: 'includeStats' });
    await eventually('all are stale', async () =>
      (await meta()).every(({ stale }) => stale.includes('oracle')),
    );
    await eventually('signals say so', async () => {
      const data = await signals();
      return data.every((event) =>
        event.signals.every(
          ({ action, reason_codes }) => action === 'SKIP' && reason_codes.includes('STALE_ORACLE'),
        ),
      );
    });
    await eventually('health says so', async () => (await health()).stale.includes('oracle/account_a'));
    for (const { as_of } of await meta()) assert.ok((as_of.ages_ms.oracle ?? 0) > STALE_SECONDS * 1_000);
    stage.world.control.clearFaults();
    await eventually('all are fresh again', async () =>
      (await meta()).every(({ stale }) => stale.length === 0),
    );
  });

  for (const kind of ['future-post', 'long-id'] as const) {
    it(`reads on after a post of the kind ${kind}, and tells of it`, async () => {
      for (const role of ['posts', 'oracle'] as const) {
        stage.world.control.fault({ role, kind, contains: role === 'posts' ? '/tweets?' : '/posts?' });
      }
      await eventually('it is told', async () => (await health()).refusing.includes('posts/account_a'));
      const { id } = stage.world.control.post({ account: 'a' });
      const newest = async () => (await readTweets(stage.url(), 'account_a', 5)).data;
      await eventually('the next post is read', async () =>
        (await newest()).some(({ tweet_id }) => tweet_id === id),
      );
      assert.ok((await newest()).every(({ created_ts }) => created_ts <= stage.clock.wall() + 5 * MINUTE_MS));
      stage.world.control.clearFaults();
      const { id: later } = stage.world.control.post({ account: 'a' });
      await eventually('another is read', async () =>
        (await newest()).some(({ tweet_id }) => tweet_id === later),
      );
    });
  }

  it('counts ten posts 3.5 days old that appear late, deeper than the newest hundred', async () => {
    const createdAt = stage.clock.wall() - 3.5 * DAY_MS;
    assert.ok(
      (await readTweets(stage.url(), 'account_a', 100)).data.every(
        ({ created_ts }) => created_ts > createdAt,
      ),
    );
    const counts = async () => {
      const longOpen = (await meta()).filter(({ start_ts }) => start_ts < createdAt);
      return new Map(longOpen.map(({ event_id, real_counter }) => [event_id, real_counter ?? 0]));
    };
    const before = await counts();
    assert.ok(before.size > 0);
    for (let index = 0; index < 10; index++) {
      stage.world.control.post({ account: 'a', createdAt: createdAt + index * 1_000 });
    }
    // A minute after the windows were last read they may be read again.
    stage.skip(2 * MINUTE_MS);
    stage.world.control.syncOracle({ account: 'a' });
    await eventually('they are counted', async () =>
      [...(await counts())].every(([event, count]) => count >= (before.get(event) ?? 0) + 10),
    );
  });
});
