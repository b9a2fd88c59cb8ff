import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Output } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  NOON,
  postOutput,
  priceOutput,
  signalsOutput,
} from '../support/outputs.ts';
import { withFolder } from '../support/store-records.ts';
import type { FeedClient } from './feed-client.ts';
import { type FeedServer, startFeed } from './feed-server.ts';

const A = { account: 'account_a' };
const bucketsOf = (eventId: number) => [bucket({ yesToken: `yes-${eventId}` })];
const EVENTS = [1, 2].map((eventId) => eventOutput({ eventId, buckets: bucketsOf(eventId) }));
const REQUESTS = [
  { channel: 'tweets', ...A },
  { channel: 'counters', ...A },
  { channel: 'prediction', ...A },
  { channel: 'signals', ...A, bankroll: 250 },
  { channel: 'test' },
] as const;

/** Enough that frames of every channel are packed. */
const SECONDS = 200;

/** A reader that remembers where it was and what it knows, over any number of connections. */
class Follower {
  /** Updates as they came, by channel. */
  readonly texts = new Map<string, string[]>(REQUESTS.map(({ channel }) => [channel, []]));
  readonly state = new Map<string, unknown>();
  readonly cursors = new Map<string, { epoch: string; seq: number }>();
  readonly gaps: string[] = [];
  client: FeedClient | undefined;
  private read = 0;

  async join(server: FeedServer): Promise<void> {
    this.client = await server.connect('demo_pro');
    this.read = 0;
    const channels = REQUESTS.map((request) => {
      const resume = this.cursors.get(request.channel);
      return { ...request, ...(resume ? { resume } : {}) };
    });
    this.client.send({ op: 'subscribe', channels });
    await this.client.next('subscribed');
  }

  /** Takes in what came since. */
  take(): void {
    for (const frame of this.client?.frames.slice(this.read) ?? []) {
      this.read += 1;
      if (frame.type !== 'update' && frame.type !== 'snapshot') continue;
      const { channel, epoch, seq, prev_seq } = frame;
      if (frame.type === 'snapshot') {
        if (channel === 'tweets') frame.data.length = 0;
        for (const name of this.state.keys()) if (name.startsWith(channel)) this.state.delete(name);
        for (const record of frame.data) this.put(`${channel} ${record.event_id ?? channel}`, record);
      } else {
        if (prev_seq !== this.cursors.get(channel)?.seq) this.gaps.push(`${channel} ${prev_seq} ${seq}`);
        this.texts.get(channel)?.push(this.client?.texts[this.read - 1] ?? '');
        if (channel !== 'tweets') this.put(`${channel} ${frame.key}`, frame.data);
      }
      this.cursors.set(channel, { epoch, seq });
    }
  }

  put(name: string, record: unknown): void {
    // Ages and the time left are those of the moment a frame was made at.
    if (record === null) this.state.delete(name);
    else this.state.set(name, { ...Object(record), as_of: null, seconds_remaining: null });
  }

  async upTo(server: FeedServer): Promise<void> {
    await server.tick();
    const { seqs } = await heartbeatOf(server);
    await eventually('up to date', () => {
      this.take();
      return REQUESTS.every(({ channel }) => {
        const name = channel === 'test' ? channel : `${channel}/account_a`;
        return (this.cursors.get(channel)?.seq ?? -1) >= (seqs[name] ?? 0);
      });
    });
  }

  async leave(): Promise<void> {
    await this.client?.close();
    this.take();
    this.client = undefined;
  }
}

async function heartbeatOf(server: FeedServer) {
  const client = await server.connect('demo_pro');
  client.send({ op: 'subscribe', channels: [{ channel: 'heartbeat' }] });
  await client.next('subscribed');
  await server.tick();
  const heartbeat = await client.next('heartbeat');
  await client.close();
  return heartbeat;
}

type Step =
  | { readonly type: 'turn'; readonly outputs: readonly Output[] }
  | { readonly type: 'tick' | 'leave' | 'restart' };

let ids = 0;
const anyOutput: fc.Arbitrary<Output> = fc.oneof(
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .map((text) => postOutput({ id: String(++ids), text, createdAt: NOON })),
  fc
    .tuple(fc.constantFrom(1, 2), fc.nat({ max: 50 }))
    .map(([eventId, real]) => countersOutput({ eventId, real, deleted: ids })),
  fc
    .tuple(fc.constantFrom(1, 2), fc.nat({ max: 99 }))
    .map(([eventId, percent]) => priceOutput({ eventId, token: `yes-${eventId}`, price: percent / 100 })),
  fc
    .tuple(fc.constantFrom(1, 2), fc.constantFrom('active', 'closed'))
    .map(([eventId, phase]) =>
      eventOutput({ eventId, phase, buckets: bucketsOf(eventId) }, { cause: 'event_closed' }),
    ),
  fc
    .tuple(fc.constantFrom(1, 2), fc.nat({ max: 50 }))
    .map(([eventId, p50]) => signalsOutput({ eventId, p50 })),
);
const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .array(anyOutput, { minLength: 1, maxLength: 5 })
        .map((outputs) => ({ type: 'turn' as const, outputs })),
    },
    { weight: 4, arbitrary: fc.constant({ type: 'tick' as const }) },
    { weight: 3, arbitrary: fc.constant({ type: 'leave' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** One follower is cut off wherever the steps say, the other only when the server itself goes. */
async function run(store: Store, steps: readonly Step[]): Promise<void> {
  const loaded: Output[] = [...EVENTS];
  let server = await startFeed({ store, loaded });
  const steady = new Follower();
  const shaky = new Follower();
  // By then the frames of a start are published, and both begin with the same.
  await heartbeatOf(server);
  await steady.join(server);
  await shaky.join(server);
  for (const step of steps) {
    if (step.type === 'turn') {
      loaded.push(...step.outputs);
      await server.turn(...step.outputs);
      if (!shaky.client) await shaky.join(server);
    } else if (step.type === 'tick') await server.tick();
    else if (step.type === 'leave') await shaky.leave();
    else {
      const { latest } = server;
      await server.stop();
      await steady.leave();
      await shaky.leave();
      const kept = (['posts', 'events', 'counters', 'prices', 'signals'] as const).flatMap((stream) => [
        ...latest.all(stream),
      ]);
      server = await startFeed({ store, loaded: kept, seq: latest.seq });
      await steady.join(server);
    }
    steady.take();
    shaky.take();
  }
  if (!shaky.client) await shaky.join(server);
  await steady.upTo(server);
  await shaky.upTo(server);
  const fresh = new Follower();
  await fresh.join(server);
  await fresh.upTo(server);
  await steady.upTo(server);
  await shaky.upTo(server);
  await server.stop();
  for (const follower of [steady, shaky, fresh]) {
    await follower.client?.closed();
    follower.take();
  }
  assert.deepEqual(server.failures, []);
  assert.deepEqual([steady.gaps, shaky.gaps], [[], []]);
  assert.deepEqual(shaky.texts, steady.texts);
  assert.deepEqual(
    steady.texts.get('tweets')?.length,
    steps
      .flatMap((step) => (step.type === 'turn' ? step.outputs : []))
      .filter(({ stream }) => stream === 'posts').length,
  );
  const sorted = (state: ReadonlyMap<string, unknown>) => [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(shaky.state), sorted(steady.state));
  assert.deepEqual(sorted(fresh.state), sorted(steady.state));
}

describe('resuming the feed', () => {
  it('gives the same bytes on every channel and the same state, wherever a reader was cut off', () =>
    fc.assert(
      fc.asyncProperty(anySteps, (steps) => run(createMemoryStore(), steps)),
      { numRuns: Number(process.env.FEED_RUNS ?? 15) },
    )).timeout(0);

  it('does so from disk', () =>
    fc.assert(
      fc.asyncProperty(anySteps, (steps) =>
        withFolder(async (folder) => {
          const store = await openStore(folder);
          await run(store, steps);
          await store.close();
        }),
      ),
      { numRuns: 3 },
    )).timeout(0);

  it('sends posts that were stored but had no frame before the end', async () => {
    const store = createMemoryStore();
    const server = await startFeed({ store, loaded: EVENTS });
    await server.turn(postOutput({ id: 'published' }));
    await server.tick();
    const follower = new Follower();
    await follower.join(server);
    await follower.upTo(server);
    await follower.leave();
    const { latest } = server;
    await server.stop();
    const missed = ['one', 'two'].map((id, index) => ({
      ...postOutput({ id }),
      seq: latest.seq + 1 + index,
    }));
    await store.outputs.append(missed, latest.seq + 2);

    const again = await startFeed({ store, loaded: [...EVENTS, ...missed], seq: latest.seq + 2 });
    await follower.join(again);
    await follower.upTo(again);
    const posts = follower.texts.get('tweets') ?? [];
    const keys = posts.map((text) => Object(JSON.parse(text)).key);
    assert.deepEqual([keys, follower.gaps], [['one', 'two'], []]);
    await again.stop();
  });

  it('sends a reader that is back before the first commit after a start what it missed, without a gap', async () => {
    const store = createMemoryStore();
    const server = await startFeed({ store });
    for (let second = 0; second < 3; second++) await server.tick();
    const { epoch } = server.feed;
    await server.stop();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const feed = {
      ...store.feed,
      append: (batch: Parameters<typeof store.feed.append>[0]) => held.then(() => store.feed.append(batch)),
    };
    const again = await startFeed({ store: { ...store, feed } });
    const client = await again.connect();
    client.send({ op: 'subscribe', channels: [{ channel: 'test' }], resume: { epoch, seq: 1 } });
    await client.next('update', 1);
    release();
    await client.next('update', 2);
    const places = client.updates().map(({ prev_seq, seq, merged }) => [prev_seq, seq, merged]);
    assert.deepEqual(
      places,
      [2, 3, 4].map((seq) => [seq - 1, seq, undefined]),
    );
    await again.stop();
  });

  it('sends hundreds of frames again as they were, from the disk of a process that is gone', () =>
    withFolder(async (folder) => {
      // Of the disk the feed's part alone: the rest would take minutes to fill.
      const store = await openStore(folder);
      const server = await startFeed({
        store: { ...createMemoryStore(), feed: store.feed },
        loaded: EVENTS,
      });
      await heartbeatOf(server);
      const follower = new Follower();
      await follower.join(server);
      await eventually('it has begun', () => {
        follower.take();
        return follower.cursors.size === REQUESTS.length;
      });
      const began = new Map(follower.cursors);
      for (let second = 0; second < SECONDS; second++) {
        await server.turn(
          countersOutput({ eventId: 1, real: second }),
          priceOutput({ eventId: 2, token: 'yes-2', price: (second % 100) / 100 }),
          signalsOutput({ eventId: 1, p50: second }),
        );
        await server.tick();
      }
      await follower.upTo(server);
      await follower.leave();
      await server.stop();
      await store.close();

      const reopened = await openStore(folder);
      const again = await startFeed({
        store: { ...createMemoryStore(), feed: reopened.feed },
        loaded: EVENTS,
        seq: server.latest.seq,
      });
      const late = new Follower();
      for (const [channel, cursor] of began) late.cursors.set(channel, cursor);
      await late.join(again);
      await late.upTo(again);
      await late.leave();
      await again.stop();
      await reopened.close();
      for (const [channel, texts] of follower.texts) {
        assert.ok(channel === 'tweets' || texts.length >= SECONDS, `${texts.length} of ${channel}`);
        assert.deepEqual(late.texts.get(channel)?.slice(0, texts.length), texts);
      }
      assert.deepEqual([late.gaps, again.failures, server.failures], [[], [], []]);
    })).timeout(60_000);

  it('refuses cursors of another epoch, of the future and older than a day, and sends a snapshot', async () => {
    const server = await startFeed({ loaded: EVENTS });
    await server.turn(postOutput({ id: '1' }), postOutput({ id: '2' }));
    const { epoch } = server.feed;
    const resumes = [
      { epoch: 'other', seq: 1 },
      { epoch, seq: 99 },
    ];
    for (const resume of resumes) {
      const client = await server.connect('demo_pro');
      client.send({ op: 'subscribe', id: 9, channels: [{ channel: 'tweets', ...A }], resume });
      const { code, oldest_seq, id, channel } = await client.next('error');
      assert.deepEqual([code, oldest_seq, id, channel], ['cursor_too_old', 0, 9, 'tweets']);
      assert.equal((await client.next('snapshot')).seq, 2);
    }
    await server.stop();
  });

  it('forgets what is older than a day', async () => {
    const store = createMemoryStore();
    const server = await startFeed({ store, loaded: EVENTS });
    await server.turn(postOutput({ id: '1' }), postOutput({ id: '2' }));
    for (let second = 0; second < 60; second++) {
      if (second === 30) server.skip(86_400_000);
      await server.tick();
    }
    await eventually('it is pruned', () => store.feed.read('tweets/account_a', 0, 9).length === 0);
    const client = await server.connect('demo_pro');
    const resume = { epoch: server.feed.epoch, seq: 1 };
    client.send({ op: 'subscribe', channels: [{ channel: 'tweets', ...A }], resume });
    assert.equal((await client.next('error')).oldest_seq, 2);
    await server.stop();
  });
});
