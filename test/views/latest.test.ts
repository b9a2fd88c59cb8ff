import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLatest } from '../../src/views/latest.ts';
import { DAY_MS, type Output, type StreamName } from '../../streams/internal.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import {
  bucket,
  decisionOutput,
  eventOutput,
  NOON,
  predictionOutput,
  priceOutput,
} from '../support/outputs.ts';
import { postOutput, velocityAt } from '../support/store-records.ts';

/** Few ids and times, so that edits and ties are common; a post keeps its time. */
const anyPosts = fc.array(
  fc
    .record({
      id: fc.nat({ max: 120 }),
      text: fc.string({ maxLength: 3 }),
      account: fc.constantFrom('a', 'b'),
    })
    .map(({ id, text, account }) => postOutput(1, String(id), (id * 7) % 11, text, account)),
  { maxLength: 60 },
);

function sortedByKey(outputs: Iterable<Output>): readonly Output[] {
  return Array.from(outputs).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function expectedPosts(outputs: readonly Output[], account: string): Output[] {
  const last = new Map(outputs.map((output) => [output.key, output]));
  return [...last.values()]
    .filter((output) => output.stream === 'posts' && output.record.account === account)
    .sort((x, y) => {
      if (x.stream !== 'posts' || y.stream !== 'posts') return 0;
      return y.record.createdAt - x.record.createdAt || Number(y.record.id) - Number(x.record.id);
    });
}

describe('createLatest', () => {
  it('knows the accounts that an event was about before', () => {
    const latest = createLatest();
    const about = (account: string) => eventOutput({ eventId: 1, subject: { type: 'posts', account } });
    const former = () => [...latest.formerAccounts('1')];
    latest.load([about('a')]);
    latest.apply([about('a')], 2, NOON);
    assert.deepEqual(former(), []);
    latest.apply([about('b')], 3, NOON);
    assert.deepEqual(former(), ['a']);
    latest.apply([about('c')], 4, NOON);
    assert.deepEqual(former(), ['a', 'b']);
  });

  it('begins empty, at seq 0', () => {
    const latest = createLatest();
    assert.deepEqual(
      [latest.seq, latest.at, [...latest.all('posts')], [...latest.posts('a')]],
      [0, 0, [], []],
    );
    assert.equal(latest.get('velocity', 'a'), undefined);
  });

  it('keeps the last value of each key', () => {
    const latest = createLatest();
    latest.apply([velocityAt(1, 'a'), velocityAt(2, 'a'), velocityAt(2, 'b')], 3, 3_000);
    assert.deepEqual(latest.get('velocity', 'a'), velocityAt(2, 'a'));
    assert.deepEqual([...latest.all('velocity')], [velocityAt(2, 'a'), velocityAt(2, 'b')]);
    assert.deepEqual([latest.seq, latest.at], [3, 3_000]);
  });

  it('keeps the posts of each account newest first, in whatever turns they come', () => {
    fc.assert(
      fc.property(fc.array(anyPosts, { maxLength: 5 }), anyPosts, (turns, loaded) => {
        const latest = createLatest();
        latest.load(loaded);
        for (const turn of turns) latest.apply(turn, 1, 1);
        for (const account of ['a', 'b']) {
          assert.deepEqual([...latest.posts(account)], expectedPosts([loaded, ...turns].flat(), account));
        }
      }),
    );
  });

  it('orders ids by number, however long', () => {
    const latest = createLatest();
    const ids = ['9', '10', '99999999999999999998', '99999999999999999999', '100'];
    latest.apply(
      ids.map((id) => postOutput(1, id, 5)),
      1,
      1,
    );
    assert.deepEqual(
      Array.from(latest.posts('a'), ({ record }) => record.id),
      ['99999999999999999999', '99999999999999999998', '100', '10', '9'],
    );
  });

  it('leaves a list handed out earlier as it was', () => {
    const latest = createLatest();
    latest.apply([postOutput(1, '1', 1)], 1, 1);
    const before = latest.posts('a');
    latest.apply([postOutput(2, '2', 2)], 2, 2);
    assert.deepEqual([before.length, latest.posts('a').length], [1, 2]);
  });

  it('finds the events of an account, also when the market says that one is about another', () => {
    const latest = createLatest();
    const about = (account: string) => ({ type: 'posts', account }) as const;
    latest.load([
      eventOutput({ eventId: 1, subject: about('a') }),
      eventOutput({ eventId: 2, subject: about('b') }),
      eventOutput({ eventId: 3, subject: { type: 'crypto', symbol: 'X', kind: 'TOUCH', referencePrice: 1 } }),
    ]);
    const keys = (account: string) => Array.from(latest.ofAccount('events', account), ({ key }) => key);
    assert.deepEqual([keys('a'), keys('b'), keys('c')], [['1'], ['2'], []]);
    latest.apply([eventOutput({ eventId: 1, subject: about('b') })], 2, 2);
    assert.deepEqual([keys('a'), keys('b')], [[], ['2', '1']]);
  });

  describe('over the store that the outputs go to', () => {
    /** A page somewhere in the list. */
    const anyPage = fc.tuple(fc.nat({ max: 130 }), fc.nat({ max: 40 }));

    it('gives the same posts as one that has all of them in memory, whenever it was asked before', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(anyPosts, fc.boolean()), { maxLength: 8 }),
          anyPage,
          async (turns, [from, count]) => {
            const { outputs } = createMemoryStore();
            const all = createLatest();
            const some = createLatest(outputs);
            for (const [index, [posts, isAsked]] of turns.entries()) {
              const seq = index + 1;
              const turn = posts.map((post) => ({ ...post, seq }));
              await outputs.append(turn, seq);
              for (const latest of [all, some]) latest.apply(turn, seq, seq);
              if (isAsked) some.posts('a').slice(0, 1);
            }
            const restarted = createLatest(outputs);
            restarted.loadFrom(outputs);
            for (const account of ['a', 'b']) {
              const expected = all.posts(account);
              for (const found of [some, restarted].map((latest) => latest.posts(account))) {
                assert.deepEqual([...found], [...expected]);
                assert.deepEqual([...found.entries()], [...expected.entries()]);
                assert.deepEqual(found.slice(from, from + count), expected.slice(from, from + count));
                assert.equal(found.length, expected.length);
              }
              for (const { key } of expected) assert.deepEqual(some.get('posts', key), all.get('posts', key));
            }
            if (turns.some(([posts]) => posts.length > 0)) assert.ok(restarted.seq > 0);
          },
        ),
      );
    });

    it('has the prices and the forecast of an open event in memory, and those of a closed one in the store', async () => {
      const { outputs } = createMemoryStore();
      const latest = createLatest(outputs);
      const turn = [
        eventOutput({ eventId: 1, phase: 'active', buckets: [bucket({ yesToken: 'yes-1' })] }),
        priceOutput({ eventId: 1, token: 'yes-1' }),
        predictionOutput({ eventId: 1 }),
      ].map((output) => ({ ...output, seq: 1 }));
      await outputs.append(turn, 1);
      latest.apply(turn, 1, 1);
      const inMemory = () => [[...latest.all('prices')].length, [...latest.all('predictions')].length];
      assert.deepEqual(inMemory(), [1, 1]);
      const closed = [
        { ...eventOutput({ eventId: 1, phase: 'closed', buckets: [bucket({ yesToken: 'yes-1' })] }), seq: 2 },
      ];
      await outputs.append(closed, 2);
      latest.apply(closed, 2, 2);
      assert.deepEqual(inMemory(), [0, 0]);
      assert.deepEqual([latest.get('prices', 'yes-1'), latest.get('predictions', '1')], turn.slice(1));
      assert.equal(latest.get('prices', 'none'), undefined);
    });
  });

  it('has after a restart what is open in memory, and of events that are over for long their windows', async () => {
    const { outputs } = createMemoryStore();
    const now = 100 * DAY_MS;
    const buckets = [bucket({ yesToken: 'yes-1' })];
    const endedAt = (eventId: number, days: number) =>
      eventOutput({ eventId, phase: 'closed', startAt: 0, endAt: now - days * DAY_MS, buckets });
    const turn = [
      eventOutput({
        eventId: 1,
        phase: 'active',
        startAt: 1,
        endAt: now,
        buckets,
        title: 'a ,"buckets":[ b',
      }),
      endedAt(2, 7),
      endedAt(3, 9),
      priceOutput({ eventId: 1, token: 'yes-1' }),
      predictionOutput({ eventId: 1 }),
    ].map((output) => ({ ...output, seq: 5, at: now }));
    await outputs.append(turn, 5);
    const latest = createLatest(outputs);
    latest.loadFrom(outputs);
    const inMemory = (stream: StreamName) => Array.from(latest.all(stream), ({ key }) => key);
    assert.deepEqual([latest.seq, latest.at], [5, now]);
    assert.deepEqual(inMemory('events').sort(), ['1', '2']);
    assert.deepEqual(Array.from(latest.windows('a'), ({ key }) => key).sort(), ['1', '2', '3']);
    assert.deepEqual(latest.get('events', '3'), turn[2]);
    assert.deepEqual(inMemory('predictions'), ['1']);
    assert.deepEqual([inMemory('prices'), latest.get('prices', 'yes-1')], [[], turn[3]]);
    assert.deepEqual(inMemory('prices'), ['yes-1']);
  });

  it('reads decisions after a restart when they are first asked for, with those of later turns', async () => {
    const { outputs } = createMemoryStore();
    const decisionAt = (seq: number, eventId: number) =>
      decisionOutput({ eventId, account: 'a', horizonHours: 24 }, { seq, at: seq * 1_000 });
    const first = [decisionAt(1, 1), decisionAt(1, 2)];
    await outputs.append(first, 1);
    let reads = 0;
    const counted: typeof outputs = {
      ...outputs,
      latestAfter(stream, key, limit) {
        if (stream === 'decisions') reads += 1;
        return outputs.latestAfter(stream, key, limit);
      },
    };
    const latest = createLatest(outputs);
    latest.loadFrom(counted);
    assert.deepEqual([reads, latest.seq, latest.at], [0, 1, 1_000]);
    const second = [decisionAt(2, 2), decisionAt(2, 3)];
    await outputs.append(second, 2);
    latest.apply(second, 2, 2_000);
    const expected = [first[0], ...second];
    assert.deepEqual(sortedByKey(latest.ofAccount('decisions', 'a')), expected);
    assert.deepEqual(sortedByKey(latest.all('decisions')), expected);
    assert.deepEqual(latest.get('decisions', '1@24'), first[0]);
    assert.equal(reads, 1);
  });

  it('has live decisions in memory and those about the past in the store, after a restart too', async () => {
    const { outputs } = createMemoryStore();
    const turn = [
      decisionOutput({ eventId: 1, origin: 'live' }, { seq: 1 }),
      decisionOutput({ eventId: 2, origin: 'history' }, { seq: 1 }),
    ];
    await outputs.append(turn, 1);
    const running = createLatest(outputs);
    running.apply(turn, 1, 1);
    const restarted = createLatest(outputs);
    restarted.loadFrom(outputs);
    for (const latest of [running, restarted]) {
      assert.deepEqual([...latest.ofAccount('decisions', 'a')], turn.slice(0, 1));
      assert.deepEqual([...latest.all('decisions')], turn.slice(0, 1));
      assert.deepEqual(latest.get('decisions', '2@24'), turn[1]);
      assert.deepEqual([...latest.all('decisions')], turn.slice(0, 1));
    }
  });

  it('reads of the decisions about many events those of the account that is asked for, or some at a time', async () => {
    const { outputs } = createMemoryStore();
    const accountOf = (eventId: number) => (eventId % 100 === 0 ? 'a' : 'b');
    const ids = Array.from({ length: 501 }, (_, index) => index + 1);
    const events = ids.map((eventId) =>
      eventOutput({ eventId, subject: { type: 'posts', account: accountOf(eventId) } }, { seq: 1 }),
    );
    const decisions = ids.flatMap((eventId) =>
      [24, 48, 72].map((horizonHours) =>
        decisionOutput({ eventId, account: accountOf(eventId), horizonHours }, { seq: 1 }),
      ),
    );
    await outputs.append([...events, ...decisions], 1);
    const loaded = () => {
      const read = new Set<string>();
      const latest = createLatest(outputs);
      latest.loadFrom({
        ...outputs,
        latestAfter(stream, key, limit) {
          const rows = outputs.latestAfter(stream, key, limit);
          for (const row of rows) read.add(row.key);
          return rows;
        },
      });
      return { latest, read };
    };
    const of = (account: string) => sortedByKey(decisions.filter(({ record }) => record.account === account));
    const { latest, read } = loaded();
    assert.deepEqual(sortedByKey(latest.ofAccount('decisions', 'a')), of('a'));
    assert.ok(read.size <= 4 * 5, `${read.size} rows were read`);
    assert.deepEqual(latest.get('decisions', '7@48')?.record.eventId, 7);
    assert.deepEqual(sortedByKey(latest.ofAccount('decisions', 'b')), of('b'));
    assert.deepEqual(sortedByKey(latest.all('decisions')), sortedByKey(decisions));

    const { latest: other } = loaded();
    const later = [decisionOutput({ eventId: 7, account: 'b', horizonHours: 24 }, { seq: 2 })];
    await outputs.append(later, 2);
    let count = other.readMore('decisions');
    other.apply(later, 2, 2);
    for (let more = count; more > 0; count += more) more = other.readMore('decisions');
    assert.equal(count, decisions.length);
    assert.deepEqual(other.get('decisions', '7@24'), later[0]);
    assert.equal(other.readMore('decisions'), 0);
    assert.equal([...other.all('decisions')].length, decisions.length);
  });

  it('announces the outputs of a turn once they can be read, but not what it loads', () => {
    const latest = createLatest();
    const told: unknown[] = [];
    latest.change$.subscribe((outputs) =>
      told.push([latest.seq, latest.get('velocity', 'a')?.seq, outputs.length]),
    );
    latest.load([velocityAt(4), velocityAt(3, 'b')]);
    assert.deepEqual([latest.seq, latest.at, told], [4, 4_000, []]);
    latest.apply([velocityAt(5)], 6, 6_000);
    latest.apply([], 7, 7_000);
    assert.deepEqual(told, [
      [6, 5, 1],
      [7, 5, 0],
    ]);
  });
});
