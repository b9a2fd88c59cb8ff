import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Topic, topicsOf } from '../../../src/feed/channels.ts';
import { feedCause } from '../../../src/feed/log/causes.ts';
import { createChanges } from '../../../src/feed/log/changes.ts';
import { openFrameLog } from '../../../src/feed/log/frame-log.ts';
import { createRecords } from '../../../src/feed/log/topic-records.ts';
import { type Audience, audienceOf } from '../../../src/views/audience.ts';
import { createLatest, type Latest } from '../../../src/views/latest.ts';
import type { Output } from '../../../streams/internal.ts';
import { accountPath } from '../../support/accounts.ts';
import { createMemoryFrames } from '../../support/memory-store/frames.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  freshnessOutput,
  NOON,
  postOutput,
  predictionOutput,
  priceOutput,
  signalsOutput,
  velocityOutput,
} from '../../support/outputs.ts';

const fail = (error: unknown) => {
  throw error;
};
const TOPICS = topicsOf([accountPath('a')]);
const FREE = audienceOf('tier', 'FREE');
const PRO = audienceOf('tier', 'PRO');
const PAID_STREAMS: readonly string[] = ['predictions', 'signals', 'velocity'];

const eventId = fc.constantFrom(1, 2);
const small = fc.integer({ min: 0, max: 2 });
const cause = fc.constantFrom('model', 'price', 'clock', 'oracle', 'new_post');

const anyOutput: fc.Arbitrary<Output> = fc.oneof(
  fc
    .tuple(eventId, fc.constantFrom('active', 'active', 'closed'))
    .map(([id, phase]) =>
      eventOutput(
        { eventId: id, phase, buckets: [bucket({ yesToken: `yes-${id}` })] },
        { cause: phase === 'closed' ? 'event_closed' : 'event_opened' },
      ),
    ),
  fc
    .tuple(eventId, small, cause)
    .map(([id, real, why]) => countersOutput({ eventId: id, real }, { cause: why })),
  fc
    .tuple(eventId, small)
    .map(([id, value]) => priceOutput({ eventId: id, token: `yes-${id}`, price: value / 4 })),
  fc
    .tuple(eventId, small, cause, fc.constantFrom(0.1, 0.9))
    .map(([id, p50, why, sleepProbability]) =>
      predictionOutput({ eventId: id, p50, sleepProbability }, { cause: why }),
    ),
  fc
    .tuple(eventId, small, cause)
    .map(([id, p50, why]) => signalsOutput({ eventId: id, p50 }, { cause: why })),
  fc.tuple(small, cause).map(([counted1h, why]) => velocityOutput({ counted1h }, { cause: why })),
  fc
    .record({
      id: fc.constantFrom('1', '2'),
      text: fc.constantFrom('x', 'y'),
      isCounted: fc.boolean(),
      oracleAt: fc.constantFrom(null, NOON),
      deletedAt: fc.constantFrom(null, NOON),
    })
    .map((post) => postOutput(post, { cause: post.oracleAt === null ? 'post_edited' : 'oracle' })),
);

/** What a frame or record says, without its times and ages. */
function contentOf(json: string): string {
  const record: unknown = JSON.parse(json);
  if (typeof record !== 'object' || record === null) return 'null';
  const fields = { ...record, as_of: undefined, seconds_remaining: undefined };
  return JSON.stringify(fields);
}

interface Sent {
  readonly topic: Topic;
  readonly key: string;
  readonly seq: number;
  readonly causes: readonly string[];
  readonly content: string;
}

/** Every turn has some outputs and, as all that is due comes with it, a tick. */
async function framesOf(turns: readonly (readonly Output[])[]) {
  const latest = createLatest();
  const log = openFrameLog({
    window: createMemoryFrames(),
    topics: TOPICS,
    report: (error) => assert.fail(String(error)),
  });
  const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
  const records = createRecords({ latest, now: () => NOON, staleAfterMs });
  const changes = createChanges({
    latest,
    topics: TOPICS,
    records,
    log,
    isFollowed: () => false,
    report: fail,
  });
  const sent: Sent[][] = [];
  log.frame$.subscribe((published) => {
    if (published.type === 'second') sent.push([]);
    else {
      for (const { topic, key, seq, causes, data } of published.frames) {
        const audience = topic.readers === 'FREE' ? FREE : PRO;
        sent.at(-1)?.push({ topic, key, seq, causes, content: contentOf(data(audience)) });
      }
    }
  });
  const ticks: Output[][] = [];
  const known = new Set<string>();
  let seq = 0;
  sent.push([]);
  for (const turn of turns) {
    const placed = [...turn, freshnessOutput({})].map((output) => {
      const isFirst = output.stream === 'posts' && !known.has(output.key);
      known.add(output.key);
      seq += 1;
      return { ...output, ...(isFirst ? { cause: 'new_post' as const } : {}), seq, at: NOON + seq };
    });
    ticks.push(placed);
    latest.apply(placed, seq, NOON + seq);
    changes.follow(placed);
  }
  await log.stop();
  return { sent, latest, turns: ticks };
}

function present(latest: Latest, topic: Topic, audience: Audience): ReadonlyMap<string, string> {
  const { records } = topic;
  if (records.type === 'none') return new Map();
  const keys = records.view.keys(latest);
  return new Map(
    keys.map((key) => {
      const open =
        records.view.render({ latest, late: [] }, key, audience)?.({ nowMs: NOON, tickAt: NOON }) ?? '';
      const name = records.type === 'posts' ? key.replace('a:', '') : key;
      return [name, contentOf(`${open}null}}`)];
    }),
  );
}

describe('what FREE readers are sent', () => {
  it('is every change that they can see, and nothing that only PRO fields explain', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyOutput, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        async (given) => {
          const { sent, latest, turns } = await framesOf(given);
          for (const topic of TOPICS.filter(
            ({ readers, channel }) => readers === 'FREE' && channel.isStored,
          )) {
            const shown = new Map<string, string>();
            let cursor = topic.firstCursor;
            turns.forEach((outputs, index) => {
              const causes = outputs
                .filter(({ stream }) => !PAID_STREAMS.includes(stream))
                .map((output) => feedCause(output.cause));
              for (const frame of sent[index]?.filter((each) => each.topic === topic) ?? []) {
                assert.equal(frame.seq, ++cursor, 'a gap');
                assert.notEqual(
                  frame.content,
                  shown.get(frame.key),
                  `${topic.name}: nothing that they see changed`,
                );
                if (topic.records.type === 'states') {
                  for (const each of frame.causes)
                    assert.ok(
                      causes.some((known) => known === each),
                      each,
                    );
                } else assert.ok(!frame.causes.includes('oracle'), 'only PRO sees what the oracle took in');
                shown.set(frame.key, frame.content);
              }
            });
            for (const [key, content] of present(latest, topic, FREE)) {
              assert.equal(shown.get(key), content, `${topic.name} ${key} is not what it is`);
            }
          }
        },
      ),
      { numRuns: 200 },
    ));
});

describe('what many accounts change in one turn', () => {
  const ids = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
  const topics = topicsOf(ids.map((id) => accountPath(id)));
  const turnOf = (real: number, seq: number): readonly Output[] => [
    ...ids.flatMap((id, index) => [
      eventOutput({ eventId: index + 1, subject: { type: 'posts', account: id } }, { seq }),
      countersOutput({ eventId: index + 1, account: id, real }, { seq }),
      velocityOutput({ account: id, counted1h: real }, { seq }),
    ]),
    postOutput({ id: String(seq), createdAt: NOON }, { seq, cause: 'new_post' }),
    freshnessOutput({}, { seq }),
  ];

  it('is published in steps, with its tick at the end, and what comes meanwhile follows', async () => {
    const latest = createLatest();
    const log = openFrameLog({ window: createMemoryFrames(), topics, report: fail });
    const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
    const records = createRecords({ latest, now: () => NOON, staleAfterMs });
    const changes = createChanges({ latest, topics, records, log, isFollowed: () => false, report: fail });
    const published: string[] = [];
    log.frame$.subscribe((each) => {
      if (each.type === 'second') published.push(`tick ${each.tick.seq}`);
      else published.push(...each.frames.map(({ topic, key }) => `${topic.storedAs} ${key}`));
    });
    changes.catchUp([]);
    await changes.settled();
    for (const seq of [1, 2]) {
      const turn = turnOf(seq, seq);
      latest.apply(turn, seq, NOON + seq);
      changes.follow(turn);
    }
    let isSettled = false;
    const settled = changes.settled().then(() => {
      isSettled = true;
    });
    await Promise.resolve();
    assert.equal(isSettled, false, 'the work is not done at once');
    await settled;
    await log.stop();

    const ticks = published.filter((each) => each.startsWith('tick'));
    assert.deepEqual(ticks, ['tick 1', 'tick 2']);
    const [first, second] = ['tick 1', 'tick 2'].map((tick) => published.indexOf(tick));
    assert.equal(second, published.length - 1);
    for (const id of ids) {
      const counters = published.flatMap((each, place) =>
        each.startsWith(`counters/account_${id} `) ? [place] : [],
      );
      assert.ok(counters[0] !== undefined && counters[0] < (first ?? 0), id);
    }
    // The first turn was published with what was known when its records were looked at.
    const posts = published.flatMap((each, place) => (/^tweets\/account_a [12]$/.test(each) ? [place] : []));
    assert.ok(posts.length >= 2 && (posts[0] ?? 0) < (first ?? 0) && (posts.at(-1) ?? 0) > (first ?? 0));
  });

  it('goes before the rest of what is caught up with after a start, and nothing is published twice', async () => {
    const latest = createLatest();
    latest.load(turnOf(1, 1).filter(({ stream }) => stream !== 'posts'));
    const log = openFrameLog({ window: createMemoryFrames(), topics, report: fail });
    const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
    const records = createRecords({ latest, now: () => NOON, staleAfterMs });
    const changes = createChanges({ latest, topics, records, log, isFollowed: () => false, report: fail });
    const published: string[] = [];
    log.frame$.subscribe((each) => {
      if (each.type === 'second') published.push(`tick ${each.tick.seq}`);
      else published.push(...each.frames.map(({ topic, key }) => `${topic.storedAs} ${key}`));
    });
    changes.catchUp([]);
    assert.equal(changes.isCatchingUp, true);
    const turn = [
      velocityOutput({ account: 'z', counted1h: 2 }, { seq: 2 }),
      postOutput({ id: '2', createdAt: NOON }, { seq: 2, cause: 'new_post' }),
      freshnessOutput({}, { seq: 2 }),
    ];
    latest.apply(turn, 2, NOON + 2);
    changes.follow(turn);
    await changes.settled();
    assert.equal(changes.isCatchingUp, false);
    await log.stop();
    const tick = published.indexOf('tick 2');
    const place = (name: string) => published.findIndex((each) => each.startsWith(`${name} `));
    assert.ok(tick > 0 && tick < published.length - 1, 'something is left when the tick comes');
    assert.ok(place('velocity/account_z') < tick && place('tweets/account_a') < tick);
    assert.equal(new Set(published).size, published.length);
    for (const id of ids) assert.notEqual(place(`counters/account_${id}`), -1, id);
  });

  it('is told to all, also of posts that come while those of the time before are being looked at', async () => {
    const latest = createLatest();
    const old = Array.from({ length: 300 }, (_, n) =>
      postOutput({ id: String(n + 1), createdAt: NOON - n }, { seq: 1 }),
    );
    latest.load(old);
    const log = openFrameLog({ window: createMemoryFrames(), topics, report: fail });
    const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
    const records = createRecords({ latest, now: () => NOON, staleAfterMs });
    const changes = createChanges({ latest, topics, records, log, isFollowed: () => false, report: fail });
    const published: string[] = [];
    log.frame$.subscribe((each) => {
      if (each.type === 'frames')
        published.push(...each.frames.map(({ topic, key }) => `${topic.name} ${key}`));
    });
    changes.catchUp([]);
    const turn = ['a', 'b', 'z'].map((account) =>
      postOutput(
        { id: `9${account.charCodeAt(0)}`, account, createdAt: NOON },
        { seq: 2, cause: 'new_post' },
      ),
    );
    latest.apply(turn, 2, NOON + 2);
    changes.follow(turn);
    await changes.settled();
    await log.stop();
    const told = turn.map(({ record: { id } }) => published.filter((each) => each.endsWith(` ${id}`)).length);
    // On the topic of FREE readers, and on that of the others.
    assert.deepEqual(told, [2, 2, 2]);
  });

  it('is stored in parts, the posts in the first of them, and readers of a part do not wait for the others', async () => {
    const latest = createLatest();
    const window = createMemoryFrames();
    const stored: { readonly upTo: number; readonly topics: readonly string[] }[] = [];
    const log = openFrameLog({
      window: {
        ...window,
        async append(batch) {
          stored.push({ upTo: batch.upTo, topics: batch.rows.map(({ topic }) => topic) });
          await window.append(batch);
        },
      },
      topics,
      report: fail,
    });
    const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
    const records = createRecords({ latest, now: () => NOON, staleAfterMs });
    const changes = createChanges({ latest, topics, records, log, isFollowed: () => false, report: fail });
    changes.catchUp([]);
    await changes.settled();
    const turn = turnOf(1, 1);
    latest.apply(turn, 1, NOON + 1);
    changes.follow(turn);
    await changes.settled();
    await log.stop();
    // Before the turn, what there is without one was stored.
    const parts = stored.filter(({ upTo }) => upTo === 1).map((part) => part.topics);
    assert.ok(parts.length > 1, 'all of it is in one part');
    const withPosts = parts.map((each) => each.some((topic) => topic.startsWith('tweets/')));
    assert.deepEqual(
      withPosts,
      parts.map((_, place) => place === 0),
    );
  });

  it('begins with the topics that somebody follows, whose readers do not wait for the rest, though only few records changed', async () => {
    const latest = createLatest();
    const window = createMemoryFrames();
    const parts: (readonly string[])[] = [];
    const append: typeof window.append = (batch) => {
      if (batch.upTo === 1) parts.push(batch.rows.map(({ topic }) => topic));
      return window.append(batch);
    };
    const log = openFrameLog({ window: { ...window, append }, topics, report: fail });
    const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
    const records = createRecords({ latest, now: () => NOON, staleAfterMs });
    const isFollowed = ({ account }: Topic) => account?.id === 'z';
    const changes = createChanges({ latest, topics, records, log, isFollowed, report: fail });
    const published: string[] = [];
    log.frame$.subscribe((each) => {
      if (each.type === 'frames') published.push(...each.frames.map(({ topic }) => topic.storedAs));
    });
    changes.catchUp([]);
    await changes.settled();
    const turn = ids.map((id) => velocityOutput({ account: id, counted1h: 1 }, { seq: 1 }));
    latest.apply(turn, 1, NOON + 1);
    changes.follow(turn);
    assert.ok(!published.includes('velocity/account_z'), 'all of it is done at once');
    await changes.settled();
    await log.stop();
    assert.deepEqual(parts[0], ['velocity/account_z']);
    const places = published.filter((topic) => topic.startsWith('velocity/'));
    assert.equal(places[0], 'velocity/account_z');
    assert.deepEqual(
      places.slice(1),
      ids.filter((id) => id !== 'z').map((id) => `velocity/account_${id}`),
    );
  });
});
