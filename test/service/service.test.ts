import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { firstValueFrom } from 'rxjs';
import { createClient, iterate, type UpdateFrame } from '../../src/client/node.ts';
import { parseConfig } from '../../src/config/config.ts';
import { thisMachine } from '../../src/service/machine.ts';
import { openService } from '../../src/service/service.ts';
import { trackingId } from '../../src/world/wire/oracle-rest.ts';
import { openWorld } from '../../src/world/world.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { readMeta, readTweets } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { openStage, type Stage } from '../support/service.ts';

const HOUR_MS = 3_600_000;
/** Further back than any window of that time begins. */
const HISTORY_DAYS = 15;
/** More than a poll and a turn take on a busy machine. */
const SEEN_WITHIN_MS = 15_000;
/** A Wednesday inside the week in which New York leaves daylight saving: its window has 169 hours. */
const START_AT = Date.parse('2026-11-04T15:00:00Z');
const WEEK = { startAt: Date.parse('2026-10-30T16:00:00Z'), endAt: Date.parse('2026-11-06T17:00:00Z') };

type Event = Awaited<ReturnType<typeof readMeta>>['data'][number];

const INTERNAL = { headers: { 'X-API-Key': 'demo_internal' } };

describe('the whole service', function () {
  this.timeout(120_000);
  let stage: Stage;
  const meta = async (account = 'account_b') => (await readMeta(stage.url(), account)).data;
  const eventOf = async (slug: string, account = 'account_b') =>
    (await meta(account)).find((event) => event.event_slug === slug);

  /** The account's posts by the listing, back to `fromAt`. */
  async function postsSince(account: string, fromAt: number) {
    const posts = [];
    for (let offset = 0; ; offset += 100) {
      const { data } = await readTweets(stage.url(), account, 100, offset);
      posts.push(...data);
      if (data.length < 100 || (data.at(-1)?.created_ts ?? 0) < fromAt) return posts;
    }
  }

  /** Distinct counted posts created in each event's window, by the listing alone. */
  async function recount(account: string, events: readonly Event[]): Promise<readonly number[]> {
    const posts = await postsSince(account, Math.min(...events.map(({ start_ts }) => start_ts)));
    return events.map(({ start_ts, end_ts }) => {
      const counted = posts.filter(
        ({ created_ts, is_counted }) => is_counted === true && start_ts <= created_ts && created_ts < end_ts,
      );
      return new Set(counted.map(({ tweet_id }) => tweet_id)).size;
    });
  }

  /** Each event's count is that of the listing. Posts go on coming, so a count that moved meanwhile is taken again. */
  async function assertCounted(account: string): Promise<void> {
    for (;;) {
      const before = await meta(account);
      const counts = await recount(account, before);
      const after = await meta(account);
      const isQuiet = before.every((event, index) => event.real_counter === after[index]?.real_counter);
      if (!isQuiet) continue;
      assert.deepEqual(
        before.map(({ event_slug, real_counter }) => [event_slug, real_counter]),
        before.map(({ event_slug }, index) => [event_slug, counts[index]]),
      );
      return;
    }
  }

  /** Whether the listing holds all that the oracle took in since the history began. */
  async function holdsArchive(segment: string): Promise<boolean> {
    const { oracle, accounts } = stage.world.addresses;
    const handle = accounts.find(({ id }) => `account_${id}` === segment)?.handle;
    const fromAt = START_AT - (HISTORY_DAYS - 1) * 24 * HOUR_MS;
    const startDate = new Date(fromAt).toISOString();
    const response = await fetch(`${oracle}/users/${handle}/posts?startDate=${startDate}`);
    const { data } = (await response.json()) as { data: readonly { platformId: string }[] };
    const ids = new Set((await postsSince(segment, fromAt)).map(({ tweet_id }) => tweet_id));
    return data.length > 0 && data.every(({ platformId }) => ids.has(platformId));
  }

  /** What the oracle itself says now. */
  async function totalOf(eventId: number): Promise<number> {
    const url = `${stage.world.addresses.oracle}/trackings/${trackingId(eventId)}?includeStats=true`;
    const { data } = (await (await fetch(url)).json()) as { data: { stats: { total: number } } };
    return data.stats.total;
  }

  async function settled(): Promise<void> {
    await eventually('every event has its three counters', async () => {
      const events = [...(await meta('account_a')), ...(await meta())];
      const isKnown = (event: Event) =>
        event.real_counter !== null &&
        event.market_oracle_counter !== null &&
        event.market_ui_counter !== null;
      return events.length >= 6 && events.every(isKnown);
    });
    // The oracle's list is read further back than any window.
    for (const account of ['account_a', 'account_b']) {
      await eventually(`the archive of ${account} is read`, () => holdsArchive(account));
    }
  }

  before(async () => {
    stage = await openStage({
      startAt: START_AT,
      historyDays: HISTORY_DAYS,
      before({ control }) {
        // At the very edge of the week: the last ms before it, its first, and the one after.
        for (const edge of [-1, 0, 1]) control.post({ account: 'b', createdAt: WEEK.startAt + edge });
      },
    });
    await settled();
  });

  after(() => stage.close());

  it('keeps its data folder and all that it puts there to its own user', () => {
    const names = ['.', ...readdirSync(stage.data, { recursive: true, encoding: 'utf8' })];
    const modes = names
      .map((name) => [name, lstatSync(join(stage.data, name))] as const)
      // A link has no rights of its own.
      .filter(([, stats]) => !stats.isSymbolicLink())
      .map(([name, { mode }]) => [name, mode & 0o077]);
    assert.ok(names.includes('control.sock') && names.includes(join('db', 'data.mdb')));
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0),
      [],
    );
  });

  it('published no count at its start that lacks a post, one that was deleted included', async () => {
    const feed = createClient({ url: stage.url(), key: 'demo_internal' }).feed();
    for (const account of ['account_a', 'account_b']) {
      const { epoch } = await firstValueFrom(feed.counters(account));
      const frames: UpdateFrame<'counters'>[] = [];
      const { seq } = await firstValueFrom(feed.counters(account));
      const all$ = feed.counters(account, { resume: { epoch, seq: 0 } });
      for await (const frame of iterate(all$)) {
        if (frame.type === 'update') frames.push(frame);
        if (frame.seq >= seq) break;
      }
      const posts = await postsSince(account, START_AT - HISTORY_DAYS * 24 * HOUR_MS);
      const counted = posts.filter(({ is_counted }) => is_counted === true);
      const records = frames.flatMap(({ ts, data }) => (data === null ? [] : [{ ts, data }]));
      assert.ok(records.some(({ data }) => data.real_counter === null && data.history_percent !== null));
      for (const { ts, data } of records) {
        const { real_counter: real, start_ts, end_ts } = data;
        if (real === null) continue;
        // What was posted just before may not have been seen yet.
        const until = Math.min(end_ts, ts - SEEN_WITHIN_MS);
        const truth = counted.filter(({ created_ts: at }) => start_ts <= at && at < until);
        assert.ok(real >= truth.length, `${data.event_slug}: ${real} of ${truth.length} at ${ts - START_AT}`);
      }
    }
    feed.close();
  });

  it('serves the week across the clock change with 169 hours', async () => {
    const weeks = (await meta()).filter(({ start_ts }) => start_ts === WEEK.startAt);
    assert.deepEqual(
      weeks.map(({ end_ts }) => end_ts),
      weeks.map(() => WEEK.endAt),
    );
    assert.ok(weeks.length > 0);
  });

  it('counts every event as its own listing of posts does', async () => {
    for (const account of ['account_a', 'account_b']) await assertCounted(account);
  });

  it('keeps settlement_delta = display_delta + internal_delta', async () => {
    for (const event of [...(await meta('account_a')), ...(await meta())]) {
      assert.equal(event.settlement_delta, (event.display_delta ?? 0) + (event.internal_delta ?? 0));
    }
  });

  it('mirrors the oracle and the trading page', async () => {
    stage.world.control.setOracleTotal({ event: (await meta())[0]?.event_id ?? 0, total: 777 });
    stage.world.control.setUiCount({ event: (await meta())[0]?.event_id ?? 0, count: 555 });
    await eventually('both are seen', async () => {
      const [event] = await meta();
      return event?.market_oracle_counter === 777 && event.market_ui_counter === 555;
    });
    assert.equal((await meta())[0]?.internal_delta, 555 - 777);
  });

  it('counts a new post by its kind', async () => {
    const kinds = {
      original: true,
      quote: true,
      repost: true,
      selfReply: true,
      reply: false,
      quotingReply: false,
      communityRepost: false,
    } as const;
    for (const [kind, isCounted] of Object.entries(kinds)) {
      const { id } = stage.world.control.post({ account: 'b', kind: kind as keyof typeof kinds });
      const find = async () =>
        (await readTweets(stage.url(), 'account_b', 20)).data.find(({ tweet_id }) => tweet_id === id);
      await eventually(`the ${kind} is listed`, async () => (await find()) !== undefined);
      assert.equal((await find())?.is_counted, isCounted, kind);
    }
    await assertCounted('account_b');
  });

  it('still counts a deleted post, and marks it as deleted', async () => {
    const { id } = stage.world.control.post({ account: 'b' });
    const isListed = async () =>
      (await readTweets(stage.url(), 'account_b', 20)).data.find(({ tweet_id }) => tweet_id === id);
    await eventually('it is seen', async () => (await isListed()) !== undefined);
    const before = (await meta())[0];
    stage.world.control.deletePost({ id });
    await eventually('it is found gone', async () => (await isListed())?.deleted_ts !== null);
    const [event] = await meta();
    assert.ok(before && event);
    await assertCounted('account_b');
    assert.ok((event.deleted_count ?? 0) > (before.deleted_count ?? 0));
    assert.equal((await isListed())?.is_counted, true);
  });

  it('counts an edited post once', async () => {
    const { id } = stage.world.control.post({ account: 'b', text: 'first words' });
    await eventually('it is seen', async () =>
      (await readTweets(stage.url(), 'account_b', 20)).data.some(({ tweet_id }) => tweet_id === id),
    );
    stage.world.control.editPost({ id, text: 'second thoughts' });
    await eventually('the edit is seen', async () => {
      const response = await checkedFetch(`${stage.url()}/api/v1/meta/account_b/tweets`);
      return (await response.text()).includes('second thoughts');
    });
    const [event] = await meta();
    assert.ok(event);
    await assertCounted('account_b');
    const { data } = await readTweets(stage.url(), 'account_b', 100);
    assert.equal(data.filter(({ tweet_id }) => tweet_id === id).length, 1);
  });

  it('follows a window that is moved, to the millisecond', async () => {
    const now = stage.clock.wall();
    const { slug } = stage.world.control.addEvent({
      account: 'b',
      startAt: now - HOUR_MS,
      endAt: now + HOUR_MS,
    });
    const { createdAt } = stage.world.control.post({ account: 'b' });
    await eventually(
      'the event is served and counted',
      async () => ((await eventOf(slug))?.real_counter ?? 0) > 0,
    );
    const whole = (await eventOf(slug))?.real_counter ?? 0;

    stage.world.control.moveWindow({ event: slug, startAt: createdAt + 1, endAt: now + HOUR_MS });
    await eventually('the post before the start is left out', async () => {
      const event = await eventOf(slug);
      return (
        event?.start_ts === createdAt + 1 && event.real_counter === (await recount('account_b', [event]))[0]
      );
    });
    assert.ok(((await eventOf(slug))?.real_counter ?? 0) < whole);

    stage.world.control.moveWindow({ event: slug, startAt: createdAt, endAt: now + HOUR_MS });
    await eventually('the post at the start is in again', async () => {
      const event = await eventOf(slug);
      return event?.start_ts === createdAt && event.real_counter === (await recount('account_b', [event]))[0];
    });
  });

  it('takes an event that the market closes off its list', async () => {
    const now = stage.clock.wall();
    const { slug } = stage.world.control.addEvent({
      account: 'b',
      slug: 'account-b-of-posts-to-be-closed',
      startAt: now - HOUR_MS,
      endAt: now + HOUR_MS,
    });
    await eventually('it is served', async () => (await eventOf(slug)) !== undefined);
    stage.world.control.closeEvent({ event: slug });
    await eventually('it is gone', async () => (await eventOf(slug)) === undefined);
  });

  it('keeps its counters while a source answers nonsense, and shows their age', async () => {
    // Without this the oracle may take in posts between the two readings of its count.
    stage.world.control.stallOracle();
    // Totals are asked for in turn, so the newest answer says nothing about the others.
    await eventually('every total of the stalled oracle is served', async () => {
      for (const { event_id, market_oracle_counter } of await meta('account_a')) {
        if (market_oracle_counter !== (await totalOf(event_id))) return false;
      }
      return true;
    });
    const before = await meta('account_a');
    for (const kind of ['html', 'truncated', 'wrong-types'] as const) {
      stage.world.control.fault({ role: 'oracle', kind, times: 5 });
    }
    await eventually('the nonsense is counted', async () => {
      const metrics = await (await checkedFetch(`${stage.url()}/metrics`, INTERNAL)).text();
      const [, refused] = /refused_payloads\{source="oracle:a"\} (\d+)/.exec(metrics) ?? [];
      return Number(refused) > 0;
    });
    const oracleOf = (events: readonly Event[]) => events.map((event) => event.market_oracle_counter);
    assert.deepEqual(oracleOf(await meta('account_a')), oracleOf(before));
    stage.world.control.clearFaults();
  });

  it('comes back from a restart with the same counters', async () => {
    stage.world.control.stallOracle();
    const countersOf = async () =>
      [...(await meta('account_a')), ...(await meta())].map(({ event_id, real_counter, deleted_count }) => ({
        event_id,
        real_counter,
        deleted_count,
      }));
    const before = await countersOf();
    await stage.restart();
    const after = await countersOf();
    assert.deepEqual(
      after.map(({ event_id }) => event_id),
      before.map(({ event_id }) => event_id),
    );
    for (const [index, event] of after.entries()) {
      // The world goes on posting meanwhile: a count may have grown, never shrunk.
      assert.ok((event.real_counter ?? -1) >= (before[index]?.real_counter ?? 0));
    }
    await settled();
    await assertCounted('account_b');
  });
});

describe('a service with a bug that keeps something from being stored', function () {
  this.timeout(120_000);

  for (const part of ['outputs', 'feed'] as const) {
    it(`says that it cannot go on without a restart: ${part}`, async () => {
      const store = createMemoryStore();
      const world = await openWorld({ seed: 3, accounts: 2 });
      const data = mkdtempSync(join(tmpdir(), 'tallywire-broken-'));
      const flags = { port: '0', data, world: world.url, accounts: '2', historyDays: '1' };
      const openStore = async () => ({ store, settled: () => undefined, finished: () => undefined });
      const service = await openService(parseConfig({ flags, env: {} }), pino({ level: 'silent' }), {
        machine: { ...thisMachine, openStore },
      });
      try {
        store[part].append = () => Promise.reject(new TypeError('a bug of the store'));
        const { code, message } = await service.over;
        assert.deepEqual(
          [code, message],
          ['ENGINE_BROKEN', 'cannot go on without a restart: TypeError: a bug of the store'],
        );
      } finally {
        await service.stop();
        await world.close();
        rmSync(data, { recursive: true });
      }
    });
  }
});
