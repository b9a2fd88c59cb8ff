import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { Outputs, Store } from '../../src/store/store.ts';
import type { Output, OutputOf, StreamName } from '../../streams/internal.ts';
import { describePayments } from './describe-payments.ts';
import { describeStoredAlerts } from './describe-stored-alerts.ts';
import { describeStoredFrames } from './describe-stored-frames.ts';
import { describeUsageStore } from './describe-usage-store.ts';
import { describeWaitlist } from './describe-waitlist.ts';
import { anyBlocks, anyTurns } from './store-arbitraries.ts';
import { postOutput, tickAt, ticks, velocityAt } from './store-records.ts';

type Use = (store: Store) => Promise<void>;

const RUNS = { numRuns: 25 };

/** What every Store does. `withStore` hands over an empty store and disposes of it after. */
export function describeStore(name: string, withStore: (use: Use) => Promise<void>): void {
  describe(name, () => {
    describeJournal(withStore);
    describeOutputs(withStore);
    describeCheckpoints(withStore);
    describeUsageStore(withStore);
    describeWaitlist(withStore);
    describeStoredFrames(withStore);
    describePayments(withStore);
    describeStoredAlerts(withStore);

    it('keeps notes, the last one under each name', () =>
      withStore(async ({ notes }) => {
        assert.equal(notes.get('world'), undefined);
        await notes.set('world', 'one');
        await notes.set('world', 'two');
        assert.equal(notes.get('world'), 'two');
      }));

    it('keeps keys, the last one under each id', () =>
      withStore(async ({ keys }) => {
        const key = {
          id: 'one',
          hash: 'ab',
          tier: 'PRO',
          name: 'ünï',
          limit: null,
          createdAt: 1,
          lastUsedAt: null,
          revokedAt: null,
        } as const;
        assert.deepEqual(keys.all(), []);
        await keys.put([key, { ...key, id: 'two', limit: 5 }]);
        await keys.put([{ ...key, revokedAt: 9 }]);
        assert.deepEqual(
          new Map(keys.all().map((each) => [each.id, each])),
          new Map([
            ['one', { ...key, revokedAt: 9 }],
            ['two', { ...key, id: 'two', limit: 5 }],
          ]),
        );
      }));

    it('keeps events of a ledger in their order, drops those that are over, and counts no calls of them', () =>
      withStore(async ({ grants, calls }) => {
        assert.deepEqual(grants.all(), []);
        for (const at of [1_000, 2_000, 3_000]) await grants.append([`a ${at}`, `b ${at}`], at, 0);
        await grants.append(['c'], 4_000, 2_000);
        assert.deepEqual(grants.all(), ['a 3000', 'b 3000', 'c']);
        assert.deepEqual(calls.all(), []);
      }));

    it('keeps batches of counted calls in their order, and drops those that are over', () =>
      withStore(async ({ calls }) => {
        const batch = (at: number) =>
          ({
            at,
            sinceBoot: at === 3_000 ? null : at + 86_400_000,
            callers: [
              {
                caller: 'a:1',
                calls: [
                  [at - 7, 2],
                  [at, 1],
                ],
              },
              { caller: 'k:3', calls: [[at - 900, -1]] },
            ],
          }) as const;
        assert.deepEqual(calls.all(), []);
        // Not by time: a clock may have been set back.
        for (const at of [1_000, 3_000, 2_000]) await calls.append(batch(at), 0);
        assert.deepEqual(calls.all(), [batch(1_000), batch(3_000), batch(2_000)]);
        await calls.append(batch(4_000), 1_000);
        assert.deepEqual(calls.all(), [batch(3_000), batch(2_000), batch(4_000)]);
        await calls.replace(batch(5_000));
        const empty = { at: 6_000, sinceBoot: null, callers: [] };
        await calls.append(empty, 4_999);
        assert.deepEqual(calls.all(), [batch(5_000), empty]);
      }));

    it('closes twice', () =>
      withStore(async (store) => {
        await store.close();
        await store.close();
      }));
  });
}

function describeJournal(withStore: (use: Use) => Promise<void>): void {
  describe('journal', () => {
    it('begins empty, with head and tail 0', () =>
      withStore(async ({ journal }) => {
        assert.deepEqual([journal.head, journal.tail, [...journal.read(1)]], [0, 0, []]);
      }));

    it('reads from any seq, whatever the blocks were', () =>
      fc.assert(
        fc.asyncProperty(anyBlocks, fc.nat({ max: 80 }), (blocks, fromSeq) =>
          withStore(async ({ journal }) => {
            for (const block of blocks) await journal.append(block);
            const all = blocks.flat();
            assert.equal(journal.head, all.length);
            assert.equal(journal.tail, Math.min(all.length, 1));
            assert.deepEqual(
              [...journal.read(fromSeq)],
              all.filter(({ seq }) => seq >= fromSeq),
            );
          }),
        ),
        RUNS,
      ));

    it('reads back from any seq', () =>
      fc.assert(
        fc.asyncProperty(anyBlocks, fc.nat({ max: 80 }), (blocks, fromSeq) =>
          withStore(async ({ journal }) => {
            for (const block of blocks) await journal.append(block);
            const all = blocks.flat().filter(({ seq }) => seq <= fromSeq);
            assert.deepEqual([...journal.readBack(fromSeq)], all.reverse());
          }),
        ),
        RUNS,
      ));

    it('finds the last observation at or before an instant', () =>
      fc.assert(
        fc.asyncProperty(anyBlocks, fc.nat({ max: 80 }), (blocks, at) =>
          withStore(async ({ journal }) => {
            // A clock that only goes forward, and stands still now and then.
            const timed = blocks.map((block) =>
              block.map((each) => ({ ...each, receivedAt: 10 + 3 * Math.floor(each.seq / 2) })),
            );
            for (const block of timed) await journal.append(block);
            const before = timed.flat().filter(({ receivedAt }) => receivedAt <= at);
            assert.equal(journal.seqAt(at), before.at(-1)?.seq ?? 0);
          }),
        ),
        RUNS,
      ));

    it('reads observations that are appended while reading', () =>
      withStore(async ({ journal }) => {
        await journal.append(ticks(1, 3));
        const seqs: number[] = [];
        for (const { seq } of journal.read(1)) {
          seqs.push(seq);
          if (seq < 6) await journal.append([tickAt(journal.head + 1)]);
        }
        assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6, 7, 8]);
      }));

    it('refuses a seq that does not continue the head, and keeps nothing of it', () =>
      withStore(async ({ journal }) => {
        await journal.append(ticks(1, 2));
        await assert.rejects(journal.append([tickAt(2)]), RangeError);
        await assert.rejects(journal.append([tickAt(4)]), RangeError);
        await assert.rejects(journal.append([tickAt(3), tickAt(5)]), RangeError);
        assert.equal(journal.head, 2);
        await journal.append([]);
        assert.deepEqual([...journal.read(1)], ticks(1, 2));
      }));

    it('drops whole blocks before a seq in steps, never the newest', () =>
      fc.assert(
        fc.asyncProperty(
          anyBlocks,
          fc.nat({ max: 80 }),
          fc.integer({ min: 1, max: 5 }),
          (blocks, before, max) =>
            withStore(async ({ journal }) => {
              for (const block of blocks) await journal.append(block);
              const kept = blocks.filter(
                (block, index) => index === blocks.length - 1 || (block.at(-1)?.seq ?? 0) >= before,
              );
              let dropped = 0;
              for (let step = max; step === max; dropped += step) step = await journal.prune(before, max);
              assert.equal(dropped, blocks.length - kept.length);
              assert.deepEqual([...journal.read(1)], kept.flat());
              assert.equal(journal.tail, kept[0]?.[0]?.seq ?? 0);
              assert.equal(journal.head, blocks.flat().length);
            }),
        ),
        RUNS,
      ));

    it('goes on at the tail when the blocks it was about to read are dropped', function () {
      // Over a thousand commits, each waiting for the disk.
      this.timeout(120_000);
      return withStore(async ({ journal }) => {
        for (let seq = 1; seq <= 1_150; seq++) await journal.append([tickAt(seq)]);
        const reader = journal.read(1)[Symbol.iterator]();
        assert.equal(reader.next().value?.seq, 1);
        assert.equal(await journal.prune(1_051, 2_000), 1_050);
        const rest: number[] = [];
        for (let step = reader.next(); step.done !== true; step = reader.next()) rest.push(step.value.seq);
        assert.deepEqual(
          rest.slice(-100),
          Array.from({ length: 100 }, (_, index) => 1_051 + index),
        );
      });
    });
  });
}

function describeOutputs(withStore: (use: Use) => Promise<void>): void {
  const streams: StreamName[] = ['posts', 'velocity', 'freshness'];

  describe('outputs', () => {
    it('keeps all that was emitted in order and the last of each key, but nothing of freshness', () =>
      fc.assert(
        fc.asyncProperty(anyTurns, fc.nat({ max: 10 }), (turns, fromSeq) =>
          withStore(async ({ outputs }) => {
            for (const turn of turns) await outputs.append(turn.outputs, turn.upTo);
            assert.equal(outputs.upTo, turns.at(-1)?.upTo ?? 0);
            for (const stream of streams) {
              const emitted =
                stream === 'freshness'
                  ? []
                  : turns.flatMap((turn) => turn.outputs).filter((output) => output.stream === stream);
              assert.deepEqual([...outputs.read(stream, fromSeq)], inOrder(emitted, fromSeq));
              const before = [...outputs.read(stream, 0)].filter(({ seq }) => seq <= fromSeq);
              assert.deepEqual([...outputs.readBack(stream, fromSeq)], before.reverse());
              assert.deepEqual(byKey(outputs.latest(stream)), byKey(emitted));
              assert.deepEqual(byKey(inSteps(outputs, stream)), byKey(emitted));
            }
          }),
        ),
        RUNS,
      ));

    it('lists the posts of each account newest first, from any place on, whatever is dated anew', () =>
      fc.assert(
        fc.asyncProperty(anyPostTurns, fc.nat({ max: 12 }), (turns, offset) =>
          withStore(async ({ outputs }) => {
            await outputs.prepare();
            const last = new Map<string, OutputOf<'posts'>>();
            for (const [index, posts] of turns.entries()) {
              // Asked for in between too, as the numbers are counted on from then.
              if (index % 2 === 0) outputs.postCount('a');
              await outputs.append(posts, index + 1);
              for (const post of posts) last.set(post.key, post);
            }
            for (const account of ['a', 'b']) {
              const expected = [...last.values()]
                .filter(({ record }) => record.account === account)
                .sort((x, y) => y.record.createdAt - x.record.createdAt || Number(y.key) - Number(x.key));
              const keys = expected.map(({ key }) => key);
              const listed = (from?: Parameters<typeof outputs.timeline>[1]) =>
                Array.from(outputs.timeline(account, from), ({ key }) => key);
              assert.deepEqual(listed(), keys);
              assert.deepEqual(listed({ offset }), keys.slice(offset));
              const after = expected[2];
              if (after !== undefined) assert.deepEqual(listed({ after, offset: 1 }), keys.slice(4));
              assert.equal(outputs.postCount(account), keys.length);
              for (const post of expected) assert.deepEqual(outputs.get('posts', post.key), post);
              assert.deepEqual(
                Array.from(outputs.timeline(account), ({ seq, createdAt }) => [seq, createdAt]),
                expected.map(({ seq, record }) => [seq, record.createdAt]),
              );
            }
            assert.equal(outputs.get('posts', 'none'), undefined);
          }),
        ),
        RUNS,
      ));

    it('refuses outputs outside the observations they are to complete, and changes nothing', () =>
      withStore(async ({ outputs }) => {
        await outputs.append([velocityAt(1)], 2);
        await assert.rejects(outputs.append([velocityAt(3), velocityAt(2)], 3), RangeError);
        await assert.rejects(outputs.append([velocityAt(4)], 3), RangeError);
        await assert.rejects(outputs.append([], 1), RangeError);
        await assert.rejects(
          outputs.append([velocityAt(3), velocityAt(3, 'k'.repeat(1_901))], 3),
          RangeError,
        );
        assert.equal(outputs.upTo, 2);
        assert.deepEqual([...outputs.read('velocity', 0)], inOrder([velocityAt(1)], 0));
        assert.deepEqual(outputs.latest('velocity'), [velocityAt(1)]);
      }));

    it('drops history before a seq in steps and leaves the latest values', () =>
      withStore(async ({ outputs }) => {
        const emitted = ticks(1, 30).flatMap(({ seq }) => [velocityAt(seq, 'a'), velocityAt(seq, 'b')]);
        await outputs.append(emitted, 30);
        assert.equal(await outputs.prune(21, 25), 25);
        assert.equal(await outputs.prune(21, 25), 15);
        assert.equal(await outputs.prune(21, 25), 0);
        assert.deepEqual([...outputs.read('velocity', 0)], inOrder(emitted, 21));
        assert.equal(outputs.latest('velocity').length, 2);
        assert.equal(outputs.upTo, 30);
      }));

    it('forgets everything when cleared, and can be filled again', () =>
      withStore(async ({ outputs }) => {
        await outputs.append([velocityAt(1), velocityAt(2)], 2);
        await outputs.clear();
        assert.deepEqual(
          [outputs.upTo, [...outputs.read('velocity', 0)], outputs.latest('velocity')],
          [0, [], []],
        );
        await outputs.append([velocityAt(1)], 1);
        assert.deepEqual(outputs.latest('velocity'), [velocityAt(1)]);
      }));
  });
}

/** Posts of two accounts in turns, with few ids, so that many are seen again, and some with another date. */
const anyPostTurns = fc
  .array(
    fc.array(fc.record({ id: fc.nat({ max: 120 }), moved: fc.constantFrom(0, 0, 0, 5) }), { maxLength: 10 }),
    { maxLength: 10 },
  )
  .map((turns) =>
    turns.map((posts, index) =>
      posts.map(({ id, moved }) => ({
        ...postOutput(index + 1, String(id), ((id * 7) % 11) + moved, 'text', id % 3 === 0 ? 'b' : 'a'),
        key: String(id),
      })),
    ),
  );

function inOrder(emitted: readonly Output[], fromSeq: number): unknown[] {
  return emitted
    .filter(({ seq }) => seq >= fromSeq)
    .sort((a, b) => a.seq - b.seq)
    .map((output) => ({ stream: output.stream, seq: output.seq, json: JSON.stringify(output) }));
}

function byKey(outputs: readonly Output[]): ReadonlyMap<string, Output> {
  return new Map(outputs.map((output) => [output.key, output]));
}

/** The latest outputs of a stream, two at a time. */
function inSteps(outputs: Outputs, stream: StreamName): readonly Output[] {
  const read: Output[] = [];
  for (;;) {
    const step = outputs.latestAfter(stream, read.at(-1)?.key, 2);
    if (step.length === 0) return read;
    read.push(...step.map(({ json }) => JSON.parse(json) as Output));
  }
}

const textsOf = (lines: AsyncIterable<Uint8Array>) =>
  Readable.from(lines)
    .map((line: Uint8Array) => Buffer.from(line).toString())
    .toArray();

function describeCheckpoints(withStore: (use: Use) => Promise<void>): void {
  const anyCheckpoint = fc.record(
    {
      seq: fc.nat({ max: 9 }),
      at: fc.nat(),
      graphVersion: fc.integer({ min: 1, max: 2 }),
      state: fc.string(),
    },
    { noNullPrototype: true },
  );

  describe('checkpoints', () => {
    it('finds the newest and the oldest of a graph version, lists and removes', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(anyCheckpoint, { maxLength: 10 }),
          fc.nat({ max: 9 }),
          fc.nat({ max: 9 }),
          (saved, removed, seq) =>
            withStore(async ({ checkpoints }) => {
              for (const checkpoint of saved) await checkpoints.save(checkpoint);
              await checkpoints.remove(removed);
              const bySeq = new Map(saved.map((checkpoint) => [checkpoint.seq, checkpoint]));
              bySeq.delete(removed);
              const kept = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
              const ofFirst = kept.filter(({ graphVersion }) => graphVersion === 1);
              assert.deepEqual(checkpoints.newest(1), ofFirst.at(-1));
              assert.deepEqual(
                checkpoints.newest(1, seq),
                ofFirst.findLast((one) => one.seq <= seq),
              );
              assert.deepEqual(checkpoints.oldest(1), ofFirst[0]);
              assert.deepEqual(
                checkpoints.list(),
                kept.map(({ state: _, ...rest }) => rest),
              );
            }),
        ),
        RUNS,
      ));

    it('reads the lines of a state one by one, with whatever they contain', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text))),
          fc.integer({ min: 0, max: 400_000 }),
          fc.boolean(),
          (texts, length, isClosed) =>
            withStore(async ({ checkpoints }) => {
              const lines = [...texts, JSON.stringify('\u2028ü\r'.repeat(length / 3)), '1'];
              const state = lines.join('\n') + (isClosed ? '\n' : '');
              await checkpoints.save({ seq: 3, at: 1, graphVersion: 1, state });
              assert.deepEqual(await textsOf(checkpoints.lines(3)), lines);
              assert.deepEqual(await textsOf(checkpoints.lines(4)), []);
            }),
        ),
        { numRuns: 20 },
      ));

    it('reads the lines of a long state, or only the first of them', () =>
      withStore(async ({ checkpoints }) => {
        const lines = Array.from({ length: 40 }, (_, n) => JSON.stringify(String(n).repeat(300_000)));
        await checkpoints.save({ seq: 3, at: 1, graphVersion: 1, state: lines.join('\n') });
        const read: string[] = [];
        for await (const line of checkpoints.lines(3)) {
          read.push(Buffer.from(line).toString());
          break;
        }
        assert.ok(read[0] === lines[0]);
        const all = await textsOf(checkpoints.lines(3));
        assert.ok(all.length === lines.length && all.every((line, n) => line === lines[n]));
      }));

    it('keeps a state that is given in parts, short, long and empty ones, in their order', () =>
      withStore(async ({ checkpoints }) => {
        const lengths = [0, 1, 700_000, ...Array.from({ length: 3_000 }, (_, n) => n % 400), 600_000, 0];
        const lines = lengths.map((length, n) => `${n} ${'x'.repeat(length)}\n`);
        const state = lines.flatMap((line) => [Buffer.from(line), Buffer.alloc(0)]);
        await checkpoints.save({ seq: 3, at: 1, graphVersion: 1, state });
        assert.ok(checkpoints.newest(1)?.state === lines.join(''));
        await checkpoints.save({ seq: 3, at: 1, graphVersion: 1, state: [] });
        assert.equal(checkpoints.newest(1)?.state, '');
      }));

    it('keeps a state of several megabytes, and the shorter one that replaces it', () =>
      withStore(async ({ checkpoints }) => {
        const numbers = Array.from(
          { length: 200_000 },
          (_, index) => (index * 2_654_435_761) % 4_294_967_291,
        );
        const long = { seq: 5, at: 1, graphVersion: 1, state: JSON.stringify(numbers) };
        await checkpoints.save(long);
        assert.ok(long.state.length > 2_000_000);
        assert.equal(checkpoints.newest(1)?.state, long.state);
        await checkpoints.save({ ...long, state: 'ü€😀' });
        assert.equal(checkpoints.newest(1)?.state, 'ü€😀');
      }));
  });
}
