import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createBudgets } from '../../../src/access/limits/budgets.ts';
import type { ChannelName } from '../../../src/contract/feed/names.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import {
  changeOf,
  MemoryReader,
  openMemoryFeed,
  type ReaderFrame,
  seqsOf,
  topicOf,
} from '../memory-readers.ts';

const STEPS_PER_TURN = 8;
/** More than enough for every commit, slice and step that is due. */
const SETTLING_TURNS = 60;

async function settle(): Promise<void> {
  for (let turns = 0; turns < SETTLING_TURNS; turns++) await nextTurn();
}

describe('readers that come back', () => {
  it('after a long time are sent every frame, a few at a time, without delaying others', async () => {
    const { subscribe, resume, change } = openMemoryFeed();
    const present = new MemoryReader();
    subscribe(present, 'test');
    for (let changes = 0; changes < 500; changes++) change('test');
    await nextTurn();
    const back = Array.from({ length: 40 }, () => new MemoryReader());
    for (const [place, reader] of back.entries()) resume(reader, 'test', place);
    change('test');
    const countWrites = () => back.reduce((sum, { writes }) => sum + writes.length, 0);
    let isPresentServed = false;
    for (let before = 0; ; before = countWrites()) {
      await nextTurn();
      const inTurn = countWrites() - before;
      assert.ok(inTurn <= STEPS_PER_TURN, `${inTurn} were written to in a turn`);
      if (inTurn === 0) break;
      isPresentServed ||= seqsOf(present.frames()).includes(501) && countWrites() < back.length;
    }
    assert.ok(isPresentServed, 'the reader that was up to date had to wait for the others');
    for (const [place, reader] of back.entries()) {
      assert.deepEqual(
        reader.frames().map(({ type, seq, prev_seq }) => [type, seq, prev_seq]),
        Array.from({ length: 501 - place }, (_, index) => ['update', place + index + 1, place + index]),
      );
    }
  });

  it('and leave again are sent nothing more', async () => {
    const { resume, change, leave } = openMemoryFeed();
    for (let changes = 0; changes < 300; changes++) change('test');
    await nextTurn();
    const back = new MemoryReader();
    resume(back, 'test', 0);
    await nextTurn();
    const count = back.frames().length;
    assert.ok(count > 0 && count < 300);
    leave(back);
    for (let turns = 0; turns < 10; turns++) await nextTurn();
    assert.equal(back.frames().length, count);
  });
});

describe('readers of one caller that come back', () => {
  const FRAMES = 150;

  it('share its budget, wait when it is used up, and still get every frame once, while others are served', async () => {
    const clock = { now: 0 };
    const budgets = createBudgets(60_000);
    const { append, resume, subscribe, change, delivery, counters } = openMemoryFeed(
      undefined,
      budgets,
      () => clock.now,
    );
    for (let value = 0; value < FRAMES; value++) append([changeOf('test', 'test', 'x'.repeat(1_000))]);
    await settle();
    const same = Array.from({ length: 3 }, () => new MemoryReader('1.2.3.4'));
    for (const reader of same) resume(reader, 'test', 0);
    await settle();
    assert.equal(delivery.waiting, 3);
    const count = () => same.reduce((sum, reader) => sum + reader.frames().length, 0);
    const first = count();
    // The last step may pass the budget by what one step has.
    assert.ok(counters.replayedBytes >= 60_000 && counters.replayedBytes < 60_000 + 40_000);
    const other = new MemoryReader('key 1');
    subscribe(other, 'test');
    change('test');
    await settle();
    assert.equal(seqsOf(other.frames()).length, 1, 'another caller has to wait');
    assert.equal(count(), first);
    await eventually('all have everything', () => {
      clock.now += 10_000;
      return count() === 3 * (FRAMES + 1);
    });
    for (const reader of same) {
      assert.deepEqual(
        seqsOf(reader.frames()),
        Array.from({ length: FRAMES + 1 }, (_, index) => index + 1),
      );
    }
    await eventually('nobody waits', () => delivery.waiting === 0);
    change('test');
    await settle();
    assert.equal(count(), 3 * (FRAMES + 2), 'what is new needs no budget');
  });

  it('and subscribe anew wait for their snapshots, but not for what is new', async () => {
    const clock = { now: 0 };
    const budgets = createBudgets(60_000);
    const { subscribe, change, delivery } = openMemoryFeed(undefined, budgets, () => clock.now);
    const reader = new MemoryReader('1.2.3.4');
    subscribe(reader, 'test');
    budgets.take(budgets.of('1.2.3.4'), 70_000, 0);
    subscribe(reader, 'counters');
    change('test');
    await settle();
    assert.deepEqual(
      reader.frames().map(({ type, channel }) => [type, channel]),
      [
        ['snapshot', 'test'],
        ['update', 'test'],
      ],
    );
    assert.equal(delivery.waiting, 1);
    clock.now += 60_000;
    await eventually('the snapshot', () => reader.frames().at(-1)?.channel === 'counters');
  });
});

describe('a reader whose frames cannot be read', () => {
  it('leaves the others alone, and the error is told', async () => {
    const window = createMemoryStore().feed;
    const failure = new Error('damaged');
    const told: unknown[] = [];
    const failing: typeof window = {
      ...window,
      read(topic, ...range) {
        if (topic === 'test') throw failure;
        return window.read(topic, ...range);
      },
    };
    const feed = openMemoryFeed(failing, undefined, undefined, (error) => told.push(error));
    for (const channel of ['test', 'crypto'] as const) feed.append([changeOf(channel, 'a', 1)]);
    await settle();
    const [unlucky, other] = [new MemoryReader('1.2.3.4'), new MemoryReader('1.2.3.5')];
    feed.resume(unlucky, 'test', 0);
    feed.resume(other, 'crypto', 0);
    await settle();
    assert.deepEqual(told, [failure]);
    assert.deepEqual(seqsOf(other.frames()), [1]);
    assert.deepEqual(unlucky.frames(), []);
  });
});

describe('a reader of a lossless channel', () => {
  it('is closed when it is more than 1 MiB behind, and not before', async () => {
    const { subscribe, append } = openMemoryFeed();
    const slow = new MemoryReader();
    const quick = new MemoryReader();
    for (const reader of [slow, quick]) subscribe(reader, 'tweets');
    const post = changeOf('tweets', '1', 'x'.repeat(128 * 1_024));
    slow.stall();
    for (let posts = 0; posts < 9; posts++) {
      assert.equal(slow.wasTooSlow, false);
      append([post]);
      await nextTurn();
    }
    append([post]);
    await nextTurn();
    assert.equal(slow.wasTooSlow, true);
    assert.equal(seqsOf(slow.frames()).length, 1);
    assert.equal(seqsOf(quick.frames()).length, 10);
  });
});

// Whatever happens in which order, a reader gets every frame of its topics or an honest count of those left out.

const CHANNELS = ['test', 'counters', 'tweets'] as const satisfies readonly ChannelName[];
const READERS = 3;

type Step =
  | { readonly type: 'append'; readonly keys: readonly { channel: ChannelName; key: string }[] }
  | { readonly type: 'stall' | 'drain' | 'leave'; readonly reader: number }
  | { readonly type: 'turns'; readonly count: number };

const anyReader = fc.nat({ max: READERS - 1 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.record({ channel: fc.constantFrom(...CHANNELS), key: fc.constantFrom('1', '2', '3') }),
        // At times more than one step of a replay.
        { minLength: 1, maxLength: 100, size: 'medium' },
      )
      .map((keys) => ({ type: 'append' as const, keys })),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constantFrom('stall', 'drain', 'leave'), reader: anyReader }),
  },
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((count) => ({ type: 'turns' as const, count })) },
);

/** What one reader got of one topic, over all its connections. */
interface Followed {
  seq: number | undefined;
  readonly values: Map<string, unknown>;
}

function takeIn(
  followed: Followed,
  { type, channel, seq, prev_seq, merged = 0, key, data }: ReaderFrame,
): void {
  if (type === 'snapshot') followed.values.clear();
  else {
    assert.equal(prev_seq, followed.seq, `a gap in ${channel}`);
    assert.equal(merged, seq - (prev_seq ?? 0) - 1, 'not every frame that was left out is counted');
    if (channel === 'tweets') assert.equal(merged, 0, 'a post was left out');
    followed.values.set(key ?? '', data);
  }
  followed.seq = seq;
}

class Follower {
  readonly topics = new Map<ChannelName, Followed>(
    CHANNELS.map((channel) => [channel, { seq: undefined, values: new Map() }]),
  );
  connected: MemoryReader | undefined;

  join({ subscribe, resume }: ReturnType<typeof openMemoryFeed>): void {
    this.connected = new MemoryReader();
    for (const [channel, { seq }] of this.topics) {
      if (seq === undefined) subscribe(this.connected, channel);
      else resume(this.connected, channel, seq);
    }
  }

  takeIn(): void {
    for (const frame of this.connected?.writes.splice(0).flat() ?? []) {
      const followed = CHANNELS.flatMap((channel) =>
        channel === frame.channel ? [this.topics.get(channel)] : [],
      )[0];
      assert.ok(followed);
      takeIn(followed, frame);
    }
  }
}

async function run(steps: readonly Step[]): Promise<void> {
  const feed = openMemoryFeed();
  const followers = Array.from({ length: READERS }, () => new Follower());
  /** By channel and key, each with the seq it has. */
  const newest = new Map<string, { readonly seq: number; readonly value: number }>();
  const seqs = new Map<ChannelName, number>();
  let value = 0;
  for (const follower of followers) follower.join(feed);
  for (const step of steps) {
    if (step.type === 'append') {
      const changes = step.keys.map(({ channel, key }) => {
        const seq = (seqs.get(channel) ?? 0) + 1;
        seqs.set(channel, seq);
        value += 1;
        newest.set(`${channel} ${key}`, { seq, value });
        return changeOf(channel, key, value);
      });
      feed.append(changes);
      continue;
    }
    if (step.type === 'turns') {
      for (let turns = 0; turns < step.count; turns++) await nextTurn();
      continue;
    }
    const follower = followers[step.reader];
    assert.ok(follower);
    if (step.type === 'leave') {
      follower.takeIn();
      if (follower.connected) feed.leave(follower.connected);
      follower.join(feed);
    } else follower.connected?.[step.type]();
  }
  await settle();
  for (const { connected } of followers) connected?.drain();
  await settle();
  for (const follower of followers) {
    follower.takeIn();
    for (const channel of CHANNELS) {
      const { publishedSeq } = feed.log.state(topicOf(channel));
      const followed = follower.topics.get(channel);
      assert.equal(publishedSeq, seqs.get(channel) ?? 0);
      assert.equal(followed?.seq, publishedSeq, `${channel} is not up to date`);
      for (const [key, found] of followed.values) {
        assert.equal(found, newest.get(`${channel} ${key}`)?.value, `${channel} ${key} is old`);
      }
    }
  }
}

describe('a reader', () => {
  it('gets every frame in order or an honest count of merged ones, however it stalls, leaves and comes back', () =>
    fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 40 }), run), { numRuns: 60 }));
});
