import assert from 'node:assert/strict';
import { merge } from 'rxjs';
import { createClient, type FeedStatus, TallywireError } from '../../src/client/node.ts';
import { WORLD_WALLETS } from '../../src/world/world.ts';
import { eventually } from '../support/eventually.ts';
import { checkFrame } from '../support/frame-check.ts';
import { openStage, type Stage } from '../support/service.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');
const PATIENCE_MS = 60_000;

describe('the client of a running service', function () {
  this.timeout(4 * PATIENCE_MS);
  let stage: Stage;
  before(async () => {
    stage = await openStage({ startAt: START_AT, historyDays: 3 });
  });
  after(() => stage.close());

  it('calls every endpoint', async () => {
    const client = createClient({ url: stage.url(), key: 'demo_internal' });
    const wallet = WORLD_WALLETS.manyPages;
    await eventually('the events are known', async () => {
      const answers = await Promise.allSettled([client.meta('account_a'), client.crypto()]);
      return answers.every(({ status }) => status === 'fulfilled');
    });
    const answers = await Promise.all([
      client.accounts(),
      client.meta('account_a'),
      client.crypto(),
      client.tweets('account_b', { limit: 3 }),
      client.lag('account_a'),
      client.prediction('account_a'),
      client.signals('account_a', { bankroll: 500, include_unproven: true }),
      client.portfolio('account_b', { wallet }),
      client.rebalancing('account_a', { wallet, bankroll: 1_000 }),
    ]);
    const [counted] = (await client.meta('account_a')).data;
    const history = await client.history('account_a', counted?.event_id ?? 0, { step: 300 });
    for (const { timestamp, data } of [...answers, history]) assert.ok(timestamp > 0 && Array.isArray(data));
    await eventually('the service has something to serve', async () =>
      /^(ok|starting|degraded)$/.test((await client.health()).status),
    );
    assert.equal(
      (await client.joinWaitlist({ type: 'human', case: 'a test', email: 'a@b.example' })).position,
      1,
    );
    assert.equal((await client.performance.overview()).error_24h.sample_size, 0);
    assert.deepEqual((await client.performance.history({ horizon: 48 })).data, []);
    assert.ok(await client.performance.calibration());
    assert.equal((await client.usage.summary({ days: 1 })).days, 1);
    assert.equal((await client.usage.errors({ limit: 5 })).limit, 5);
    assert.equal((await client.usage.byEndpoint({ start: 0, end: 10 })).end, 10);
    assert.equal((await client.usage.stats()).tracking.enabled, true);
  });

  it('asks about the past, in UTC ms and ISO 8601, and not by default', async () => {
    const client = createClient({ url: stage.url(), key: 'demo_pro' });
    const { timestamp } = await client.health();
    const answers = (as_of: number | string) =>
      Promise.all([
        client.meta('account_a', { as_of }),
        client.lag('account_a', { as_of, timeoutMs: 60_000 }),
        client.prediction('account_a', { as_of }),
        client.tweets('account_a', { limit: 2, as_of }),
        client.signals('account_a', { bankroll: 500, as_of }),
      ]);
    for (const as_of of [timestamp, new Date(timestamp).toISOString()]) {
      const found = await answers(as_of);
      assert.deepEqual(
        found.map((answer) => answer.timestamp),
        found.map(() => timestamp),
      );
    }
    assert.ok((await client.meta('account_a', {})).timestamp >= timestamp);
  });

  it('throws refusals with their code, detail and every fault', async () => {
    const client = createClient({ url: stage.url(), key: 'demo_pro' });
    await assert.rejects(client.usage.stats(), (error) => {
      assert.ok(error instanceof TallywireError);
      assert.deepEqual([error.status, error.code, error.faults], [401, 'tier_too_low', []]);
      return true;
    });
    await assert.rejects(client.tweets('account_a', { limit: 0, offset: -1 }), (error) => {
      assert.ok(error instanceof TallywireError);
      assert.deepEqual([error.status, error.code, error.faults.length], [422, 'invalid_request', 2]);
      assert.deepEqual(error.faults[0]?.loc, ['query', 'limit']);
      return true;
    });
    await assert.rejects(client.meta('nobody'), { status: 404, code: 'account_unknown' });
    assert.equal(client.quota?.limit, 10_000);
    assert.ok((client.quota?.resetAt ?? 0) > START_AT);
  });

  it('follows every channel in documented frames, and resumes from a stored cursor', async () => {
    let status: FeedStatus | undefined;
    const feed = createClient({ url: stage.url(), key: 'demo_pro' }).feed({
      reconnect: { minMs: 10, maxMs: 50 },
    });
    const frames: { readonly channel: string; readonly type: string; readonly account: string | null }[] = [];
    const posts: number[] = [];
    feed.status$.subscribe((each) => {
      status = each;
    });
    merge(
      feed.counters(),
      feed.velocity(),
      feed.prediction(),
      feed.signals('account_a', { bankroll: 250 }),
      feed.lag(),
      feed.crypto(),
      feed.test(),
    ).subscribe((frame) => {
      checkFrame(JSON.stringify(frame));
      frames.push(frame);
    });
    feed.tweets('account_a').subscribe((frame) => {
      checkFrame(JSON.stringify(frame));
      if (frame.type === 'update') posts.push(frame.seq);
    });
    feed.heartbeat().subscribe((frame) => checkFrame(JSON.stringify(frame)));
    await eventually('it is live', () => status?.state === 'live');
    const begun = new Set(frames.filter(({ type }) => type === 'snapshot').map((frame) => frame.channel));
    assert.deepEqual([...begun].sort(), [
      'counters',
      'crypto',
      'lag',
      'prediction',
      'signals',
      'test',
      'velocity',
    ]);

    stage.world.control.post({ account: 'a' });
    await eventually('a post comes', () => posts.length > 0);
    const [first = 0] = posts;
    feed.close();

    // From the cursor before that post, as a program would that had stored it.
    const later = createClient({ url: stage.url(), key: 'demo_pro' }).feed();
    const epoch = await new Promise<string>((resolve) =>
      later.test().subscribe((frame) => resolve(frame.epoch)),
    );
    const resumed: string[] = [];
    later.tweets('account_a', { resume: { epoch, seq: first - 1 } }).subscribe((frame) => {
      resumed.push(`${frame.type} ${frame.seq}`);
    });
    await eventually('it comes again', () => resumed.length > 0);
    assert.equal(resumed[0], `update ${first}`);
    later.close();
  });

  it('reports that a source no longer answers', async () => {
    const feed = createClient({ url: stage.url() }).feed();
    const statuses: FeedStatus[] = [];
    let beats = 0;
    feed.status$.subscribe((status) => statuses.push(status));
    feed.heartbeat().subscribe(() => {
      beats += 1;
    });
    await eventually('its rhythm is known', () => beats > 5 && statuses.at(-1)?.state === 'live');
    stage.world.control.fault({ role: 'posts', kind: 'hang' });
    // On a busy machine other sources may be late as well.
    const isNoticed = (status: FeedStatus | undefined) =>
      status?.state === 'stale' &&
      status.reason === 'source' &&
      status.sources.some((name) => name.startsWith('posts/'));
    await eventually('it is noticed', () => isNoticed(statuses.at(-1)));
    feed.close();
  });
});
