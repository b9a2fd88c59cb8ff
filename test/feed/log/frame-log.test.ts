import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { ChannelName } from '../../../src/contract/feed/names.ts';
import { StoreError } from '../../../src/errors.ts';
import { follow } from '../../../src/feed/follow.ts';
import { type FrameLog, openFrameLog, type Published } from '../../../src/feed/log/frame-log.ts';
import { type Frame, updateText } from '../../../src/feed/log/frames.ts';
import type { Change } from '../../../src/feed/log/numbering.ts';
import type { StoredFrames } from '../../../src/store/store.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryFrames } from '../../support/memory-store/frames.ts';
import { freshnessOutput, NOON } from '../../support/outputs.ts';
import { changeOf, TOPICS, topicOf } from '../memory-readers.ts';

type Batch = Parameters<StoredFrames['append']>[0];

/** A window whose commits end when the test says so, each with success or failure. */
function createHeldWindow() {
  const window = createMemoryFrames();
  const commits: { readonly batch: Batch; readonly end: (error?: Error) => void }[] = [];
  const held: StoredFrames = {
    ...window,
    append: (batch) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(window.append(batch)));
        commits.push({ batch, end });
      }),
  };
  return { window: held, commits };
}

function open(window: StoredFrames) {
  const errors: unknown[] = [];
  const published: Published[] = [];
  const ends: unknown[] = [];
  const log = openFrameLog({
    window,
    topics: TOPICS,
    report: (error) => errors.push(error),
    broken: (error) => ends.push(error),
  });
  log.frame$.subscribe((each) => published.push(each));
  return { log, errors, published, ends };
}

/** `counters 1` for the frame 1 of counters, `second` for a tick. */
function namesOf(published: readonly Published[]): readonly string[] {
  return published.flatMap((each) =>
    each.type === 'second' ? ['second'] : each.frames.map(({ topic, seq }) => `${topic.channel.name} ${seq}`),
  );
}

const TICK = freshnessOutput({});

describe('the frame log', () => {
  it('publishes a frame once it is on disk, and not before', async () => {
    const { window, commits } = createHeldWindow();
    const { log, published } = open(window);
    const state = log.state(topicOf('counters'));
    log.append([changeOf('counters'), changeOf('test')], 7, TICK);
    await nextTurn();
    assert.deepEqual([published, state.publishedSeq, log.publishedUpTo(topicOf('test'))], [[], 0, 0]);
    assert.deepEqual(log.read(state, 0), []);
    commits[0]?.end();
    await nextTurn();
    assert.deepEqual(namesOf(published), ['counters 1', 'test 1', 'second']);
    assert.deepEqual([state.publishedSeq, log.publishedUpTo(topicOf('test'))], [1, 7]);
    assert.equal(log.read(state, 0).length, 1);
  });

  it('shares a batch with other machines first, then stores it, then publishes it', async () => {
    const { window, commits } = createHeldWindow();
    const shared: { readonly batch: Batch; readonly end: () => void }[] = [];
    const share = (batch: Batch) => new Promise<void>((end) => shared.push({ batch, end }));
    const log = openFrameLog({
      window,
      topics: TOPICS,
      epoch: 'of-the-cluster',
      share,
      report: (error) => assert.fail(String(error)),
    });
    const published: Published[] = [];
    log.frame$.subscribe((each) => published.push(each));
    log.append([changeOf('counters')], 7);
    await nextTurn();
    assert.deepEqual([shared.length, commits.length], [1, 0]);
    shared[0]?.end();
    await nextTurn();
    assert.deepEqual([commits[0]?.batch, published], [shared[0]?.batch, []]);
    assert.equal(commits[0]?.batch.epoch, 'of-the-cluster');
    commits[0]?.end();
    await nextTurn();
    assert.deepEqual(namesOf(published), ['counters 1']);
  });

  it('publishes nothing that could not be shared', async () => {
    const { window, commits } = createHeldWindow();
    const errors: unknown[] = [];
    const share = () => Promise.reject(new Error('another one leads'));
    const report = (error: unknown) => errors.push(error);
    const log = openFrameLog({ window, topics: TOPICS, epoch: 'e', share, report });
    log.frame$.subscribe(() => assert.fail('published'));
    log.append([changeOf('counters')], 7);
    await log.stop();
    assert.deepEqual([commits, errors.map(String)], [[], ['Error: another one leads']]);
  });

  it('stores all entries that wait for a commit with the next one', async () => {
    const { window, commits } = createHeldWindow();
    const { log, published } = open(window);
    for (const upTo of [1, 2, 3, 4]) log.append([changeOf('counters')], upTo);
    assert.equal(commits.length, 1);
    commits[0]?.end();
    await nextTurn();
    assert.deepEqual(
      commits.map(({ batch }) => [batch.upTo, batch.rows.map(({ seq }) => seq)]),
      [
        [1, [1]],
        [4, [2, 3, 4]],
      ],
    );
    assert.deepEqual(namesOf(published), ['counters 1']);
    commits[1]?.end();
    await nextTurn();
    assert.deepEqual(namesOf(published), ['counters 1', 'counters 2', 'counters 3', 'counters 4']);
  });

  it('needs no commit for a second in which nothing changed', async () => {
    const { window, commits } = createHeldWindow();
    const { log, published } = open(window);
    log.append([], 3, TICK);
    await nextTurn();
    assert.deepEqual(
      [namesOf(published), commits.length, log.publishedUpTo(topicOf('test'))],
      [['second'], 0, 3],
    );
  });

  it('holds frames while the disk refuses them, reports once, and loses none', async () => {
    const { window, commits } = createHeldWindow();
    const { log, published, errors } = open(window);
    log.append([changeOf('counters')], 1);
    commits[0]?.end(new StoreError('STORE_FULL', 'disk full'));
    log.append([changeOf('counters')], 2, TICK);
    await eventually('it is tried again', () => commits.length === 2);
    commits[1]?.end(new StoreError('STORE_FULL', 'disk full'));
    await nextTurn();
    assert.deepEqual([published, errors.map(String)], [[], ['StoreError: disk full']]);
    const stopped = log.stop();
    await eventually('it is tried a last time', () => commits.length === 3);
    commits[2]?.end();
    await eventually('the next entry is stored', () => commits.length === 4);
    commits[3]?.end();
    await stopped;
    assert.deepEqual(namesOf(published), ['counters 1', 'counters 2', 'second']);
  });

  it('says that it is broken when frames can never be stored, and gives no more numbers', async () => {
    const { window, commits } = createHeldWindow();
    const { log, published, errors, ends } = open(window);
    log.append([changeOf('counters')], 1);
    log.append([changeOf('counters')], 2);
    commits[0]?.end(new TypeError('a bug of the store'));
    await nextTurn();
    log.append([changeOf('counters')], 3);
    await log.stop();
    assert.deepEqual(
      [commits.length, published, errors.map(String)],
      [1, [], ['TypeError: a bug of the store']],
    );
    assert.deepEqual(ends, errors);
  });

  it('publishes all it took before it stops, and takes nothing after', async () => {
    const { log, published } = open(createMemoryFrames());
    log.append([changeOf('counters')], 1);
    log.append([changeOf('counters')], 2);
    const stopped = log.stop();
    log.append([changeOf('counters')], 3);
    await stopped;
    assert.deepEqual(namesOf(published), ['counters 1', 'counters 2']);
    assert.equal(log.publishedUpTo(topicOf('test')), 2);
  });

  it('continues when a follower fails, and reports it', async () => {
    const { log, published } = open(createMemoryFrames());
    const failures: unknown[] = [];
    const fail = () => {
      throw new Error('no luck');
    };
    follow(log.frame$, fail, (error) => failures.push(error));
    log.append([changeOf('counters')], 1);
    log.append([changeOf('counters')], 2);
    await log.stop();
    assert.deepEqual(failures.map(String), ['Error: no luck', 'Error: no luck']);
    assert.deepEqual(namesOf(published), ['counters 1', 'counters 2']);
  });
});

const CHANNELS = ['counters', 'tweets', 'test'] as const satisfies readonly ChannelName[];

type Step =
  | { readonly type: 'append'; readonly channels: readonly ChannelName[]; readonly hasTick: boolean }
  | { readonly type: 'commit' | 'turn' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('append'),
    channels: fc.array(fc.constantFrom(...CHANNELS), { maxLength: 6 }),
    hasTick: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('commit', 'turn') }),
);

describe('the order of the frame log', () => {
  it('is that of its entries, on disk and as published, whenever commits end', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), async (steps) => {
        const { window, commits } = createHeldWindow();
        const { log, published, errors } = open(window);
        const expected: string[] = [];
        const seqs = new Map<ChannelName, number>();
        let ended = 0;
        for (const [index, step] of steps.entries()) {
          if (step.type === 'append') {
            // Within one entry the frames of a topic are published together.
            for (const channel of new Set(step.channels)) {
              const count = step.channels.filter((each) => each === channel).length;
              const from = seqs.get(channel) ?? 0;
              seqs.set(channel, from + count);
              for (let seq = from + 1; seq <= from + count; seq++) expected.push(`${channel} ${seq}`);
            }
            if (step.hasTick) expected.push('second');
            const changes = step.channels.map((channel) => changeOf(channel));
            log.append(changes, index, step.hasTick ? TICK : undefined);
          } else if (step.type === 'turn') await nextTurn();
          else if (ended < commits.length) commits[ended++]?.end();
        }
        const stopped = log.stop();
        let isStopped = false;
        void stopped.then(() => {
          isStopped = true;
        });
        while (!isStopped) {
          while (ended < commits.length) commits[ended++]?.end();
          await nextTurn();
        }
        assert.deepEqual(errors, []);
        assert.deepEqual(namesOf(published), expected);
        for (const channel of CHANNELS) {
          const rows = window.read(topicOf(channel).name, 0, 1_000);
          assert.deepEqual(
            rows.map(({ seq }) => seq),
            Array.from({ length: seqs.get(channel) ?? 0 }, (_, index) => index + 1),
          );
        }
      }),
    ));
});

/** All frames after `seq`, in steps of at most `limit`, as a reader is sent them. */
function replay(log: FrameLog, channel: ChannelName, seq: number, limit: number): readonly string[] {
  const topic = topicOf(channel);
  const texts: string[] = [];
  for (let sent = seq; ; ) {
    const frames = log.read(log.state(topic), sent).slice(0, limit);
    if (frames.length === 0) return texts;
    for (const frame of frames) {
      texts.push(updateText(log.epoch, frame, sent, audienceOf(topic.audiences, 'PRO')));
      sent = frame.seq;
    }
  }
}

const anyChanges: fc.Arbitrary<readonly Change[]> = fc.array(
  fc
    .record({
      channel: fc.constantFrom(...CHANNELS),
      key: fc.constantFrom('1', '2', '3'),
      value: fc.jsonValue(),
    })
    .map(({ channel, key, value }) => changeOf(channel, key, channel === 'tweets' ? [value] : value)),
  { minLength: 1, maxLength: 80 },
);

describe('a replay from the frame log', () => {
  it('gives from any seq exactly the rest as it was published, also after a restart', () =>
    fc.assert(
      fc.asyncProperty(
        anyChanges,
        fc.nat(80),
        fc.integer({ min: 1, max: 9 }),
        async (changes, from, limit) => {
          const window = createMemoryFrames();
          const { log, published } = open(window);
          for (const change of changes) log.append([change], 0);
          await log.stop();
          const { log: again } = open(window);
          for (const channel of CHANNELS) {
            const topic = topicOf(channel);
            const texts = published.flatMap((each) =>
              each.type === 'frames' && each.state.topic === topic
                ? each.frames.map((frame) =>
                    updateText(log.epoch, frame, frame.seq - 1, audienceOf(topic.audiences, 'PRO')),
                  )
                : [],
            );
            assert.deepEqual(replay(log, channel, from, limit), texts.slice(from));
            assert.deepEqual(replay(again, channel, from, limit), texts.slice(from));
            assert.equal(again.oldestCursor(again.state(topic)), 0);
          }
          assert.equal(again.epoch, log.epoch);
        },
      ),
    ));

  it('has each frame by itself as it was published, until it is no longer kept', async () => {
    const window = createMemoryFrames();
    const { log, published } = open(window);
    const topic = topicOf('counters');
    const state = log.state(topic);
    for (const at of [1, 2, 3]) log.append([{ ...changeOf('counters', '1', { at }), at: NOON + at }], at);
    await nextTurn();
    const textOf = (frame: Frame | undefined) =>
      frame && updateText(log.epoch, frame, 0, audienceOf(topic.audiences, 'PRO'));
    const texts = published.flatMap((each) => (each.type === 'frames' ? each.frames.map(textOf) : []));
    assert.deepEqual(
      [1, 2, 3].map((seq) => textOf(log.frame(state, seq))),
      texts,
    );
    await window.prune(NOON + 3, 100);
    const { log: again } = open(window);
    assert.deepEqual(
      [1, 2, 3, 4].map((seq) => textOf(again.frame(state, seq))),
      [undefined, undefined, texts[2], undefined],
    );
  });

  it('is possible from the frame before the oldest that is kept', async () => {
    const window = createMemoryFrames();
    const { log } = open(window);
    const state = log.state(topicOf('counters'));
    assert.equal(log.oldestCursor(state), 0);
    for (const at of [1, 2, 3, 4]) log.append([{ ...changeOf('counters'), at: NOON + at }], at);
    await nextTurn();
    await window.prune(NOON + 3, 100);
    assert.equal(log.oldestCursor(state), 2);
    await window.prune(NOON + 9, 100);
    assert.equal(log.oldestCursor(state), 4);
  });
});
