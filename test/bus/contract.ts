import assert from 'node:assert/strict';
import type {
  Bus,
  Entry,
  EntryKind,
  Following,
  ShardWriter,
  SharedChange,
  StoredEntry,
} from '../../src/bus/bus.ts';
import type { BusErrorCode } from '../../src/bus/bus-error.ts';

/** A process on the bus under test. */
export interface TestNode {
  readonly bus: Bus;
  /** Ends it without a word to anybody. */
  kill(): void;
}

/** A messaging system of its own for each test. */
export interface BusUnderTest {
  /** A process of its own; `name` appears in no other call. */
  join(role?: 'engine' | 'edge'): Promise<TestNode>;
  /** Nobody reaches the servers until they are started again. They keep what they have. */
  stopServers(): Promise<void>;
  startServers(): Promise<void>;
  /** What is before this place of a shard's stream is no longer kept. */
  expire(shard: string, before: number): Promise<void>;
  /** The shard's stream is gone. */
  wipe(shard: string): Promise<void>;
  /** Lets time pass until it holds. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  /** The outcome of a promise that needs time to pass. */
  settled<T>(promise: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array): string => Buffer.from(value).toString();
const entry = (content: string, kind: EntryKind = 'log'): Entry => ({ kind, bytes: bytes(content) });
const never = new AbortController().signal;

/** What every bus must do. Run it once per messaging system. */
export function describeBus(name: string, open: () => Promise<BusUnderTest>): void {
  describe(name, () => {
    let under: BusUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    const settled = <T>(promise: Promise<T>): Promise<T> => under.settled(promise);
    const join = async (role: 'engine' | 'edge' = 'engine'): Promise<Bus> =>
      (await settled(under.join(role))).bus;

    async function lead(bus: Bus, term: number, place: number): Promise<ShardWriter> {
      const shard = await settled(bus.shard('main'));
      const writer = await settled(shard.beginTerm(term, place));
      assert.ok(writer !== 'behind');
      return writer;
    }

    async function rejectsWith(code: BusErrorCode, promise: Promise<unknown>): Promise<void> {
      await assert.rejects(settled(promise), (error: unknown) => {
        assert.equal(error instanceof Error && 'code' in error ? error.code : error, code);
        return true;
      });
    }

    async function collect(
      bus: Bus,
      place = 0,
    ): Promise<{ readonly entries: StoredEntry[]; readonly following: Following }> {
      const shard = await settled(bus.shard('main'));
      const entries: StoredEntry[] = [];
      const following = shard.follow(place, (each) => void entries.push(each));
      return { entries, following };
    }

    async function append(writer: ShardWriter, ...contents: readonly string[]): Promise<number[]> {
      return settled(Promise.all(contents.map((each) => writer.append(entry(each)))));
    }

    const contents = (entries: readonly StoredEntry[]) => entries.map((each) => text(each.bytes));

    describe('the stream of a shard', () => {
      it('gives every reader every entry in order and once, from any place', async () => {
        const engine = await join();
        const edge = await join('edge');
        const early = await collect(engine);
        const writer = await lead(engine, 1, 0);
        const kinds: readonly EntryKind[] = ['log', 'outputs', 'feed', 'access'];
        const places = await settled(
          Promise.all(kinds.map((kind, index) => writer.append(entry(`${index}`, kind)))),
        );
        const late = await collect(edge);
        const from = await collect(edge, places[0]);
        await under.until('all readers have all', () =>
          [early, late, from].every((each) => each.following.place === writer.place),
        );
        assert.deepEqual(
          late.entries.map((each) => [each.kind, text(each.bytes), each.place, each.term]),
          kinds.map((kind, index) => [kind, `${index}`, places[index], 1]),
        );
        assert.deepEqual(contents(early.entries), ['0', '1', '2', '3']);
        assert.deepEqual(contents(from.entries), ['1', '2', '3']);
        await under.until('the reader knows it', () => late.following.caughtUpAt !== undefined);
      });

      it('carries an entry larger than a message', async () => {
        const engine = await join();
        const writer = await lead(engine, 1, 0);
        const large = Buffer.alloc(2_500_000, 'tallywire ');
        const place = await settled(writer.append({ kind: 'feed', bytes: large }));
        await append(writer, 'next');
        const { entries } = await collect(await join('edge'));
        await under.until('both are there', () => entries.length === 2);
        assert.equal(Buffer.compare(entries[0]?.bytes ?? bytes(''), large), 0);
        assert.equal(entries[0]?.place, place);
        assert.ok(place > 2);
      });

      it('refuses a writer for good once a later term has begun', async () => {
        const first = await lead(await join(), 1, 0);
        await append(first, 'a');
        const second = await lead(await join(), 2, first.place);
        await rejectsWith('BUS_FENCED', first.append(entry('zombie')));
        await append(second, 'b');
        await rejectsWith('BUS_FENCED', first.append(entry('zombie again')));
        const { entries } = await collect(await join('edge'));
        await under.until('both are there', () => entries.length === 2);
        assert.deepEqual(
          entries.map((each) => [text(each.bytes), each.term]),
          [
            ['a', 1],
            ['b', 2],
          ],
        );
      });

      it('lets a term begin only behind all that was written, and once', async () => {
        const first = await lead(await join(), 1, 0);
        await append(first, 'a', 'b');
        const other = await join();
        const shard = await settled(other.shard('main'));
        assert.equal(await settled(shard.beginTerm(2, first.place - 1)), 'behind');
        const { last } = await settled(shard.ends());
        assert.equal(last, first.place);
        const second = await lead(other, 2, last);
        await rejectsWith('BUS_FENCED', shard.beginTerm(2, second.place));
        await rejectsWith('BUS_FENCED', shard.beginTerm(1, second.place));
        await append(second, 'c');
      });

      it('lets exactly one of two writers begin a term', async () => {
        const [a, b] = [await join(), await join()];
        const [one, two] = [await settled(a.shard('main')), await settled(b.shard('main'))];
        const outcomes = await settled(Promise.allSettled([one.beginTerm(1, 0), two.beginTerm(1, 0)]));
        // Both ids are equal, so that a server takes the second for a repetition; a lease gives a term to one alone.
        assert.ok(outcomes.some((each) => each.status === 'fulfilled'));
        const [three, four] = await settled(Promise.allSettled([one.beginTerm(2, 1), two.beginTerm(3, 1)]));
        const isLed = (outcome: typeof three) => outcome.status === 'fulfilled' && outcome.value !== 'behind';
        assert.ok(isLed(three) !== isLed(four));
      });

      it('stores each entry once over an outage of the servers, and readers go on', async () => {
        const engine = await join();
        const writer = await lead(engine, 1, 0);
        const { entries, following } = await collect(await join('edge'));
        await append(writer, '0', '1');
        await under.until('the reader has them', () => entries.length === 2);
        await settled(under.stopServers());
        const waiting = Promise.all(['2', '3', '4'].map((each) => writer.append(entry(each))));
        await under.until('the engine knows', () => !engine.isConnected());
        await settled(under.startServers());
        await settled(waiting);
        await append(writer, '5');
        await under.until('the reader has all', () => following.place === writer.place);
        assert.deepEqual(contents(entries), ['0', '1', '2', '3', '4', '5']);
      });

      it('tells a reader whose place is no longer kept', async () => {
        const engine = await join();
        const writer = await lead(engine, 1, 0);
        await append(writer, 'a', 'b', 'c');
        await settled(under.expire('main', 3));
        const late = await collect(await join('edge'));
        await rejectsWith('BUS_BEHIND_TAIL', late.following.ended);
        const { entries } = await collect(await join('edge'), 2);
        await under.until('the rest is there', () => entries.length === 2);
        assert.deepEqual(contents(entries), ['b', 'c']);
      });

      it('tells writer and reader when the stream has lost what was acknowledged', async () => {
        const engine = await join();
        const writer = await lead(engine, 1, 0);
        await append(writer, 'a');
        const { entries, following } = await collect(engine);
        await under.until('it is there', () => entries.length === 1);
        await settled(under.wipe('main'));
        await rejectsWith('BUS_TAIL_LOST', writer.append(entry('b')));
        await rejectsWith('BUS_TAIL_LOST', following.ended);
      });

      it('tells a reader so as well while somebody writes to the stream that was begun again', async () => {
        const writer = await lead(await join(), 1, 0);
        for (let n = 0; n < 300; n++) await append(writer, `before ${n}`);
        const { entries, following } = await collect(await join('edge'));
        await under.until('it is there', () => entries.length === 300);
        let isOver = false;
        const ended = rejectsWith('BUS_TAIL_LOST', following.ended).finally(() => {
          isOver = true;
        });
        await settled(under.wipe('main'));
        const again = await lead(await join(), 2, 0);
        const writing = (async () => {
          for (let n = 0; n < 250 && !isOver; n++) await again.append(entry(`after ${n}`));
        })();
        await ended;
        await settled(writing);
        assert.equal(entries.length, 300);
      });

      it('ends a following with what its reader threw, and nothing is applied after a stop', async () => {
        const engine = await join();
        const writer = await lead(engine, 1, 0);
        await append(writer, 'a');
        const shard = await settled(engine.shard('main'));
        const failing = shard.follow(0, () => {
          throw new RangeError('cannot be applied');
        });
        await assert.rejects(settled(failing.ended), RangeError);
        const { entries, following } = await collect(engine);
        await under.until('it is there', () => entries.length === 1);
        await settled(following.stop());
        await settled(following.ended);
        await append(writer, 'b');
        assert.deepEqual(contents(entries), ['a']);
      });
    });

    describe('leases', () => {
      it('are held by one at a time, and pass on when the leader is gone', async () => {
        const leader = await settled(under.join());
        const standby = await join();
        const first = await settled(leader.bus.leases.campaign('main', 'leader', never));
        assert.deepEqual([first.term, first.isHeld()], [1, true]);
        let second: { readonly term: number; isHeld(): boolean } | undefined;
        const campaign = standby.leases.campaign('main', 'standby', never).then((lease) => {
          second = lease;
        });
        leader.kill();
        await under.until('the standby leads', () => second !== undefined);
        await campaign;
        assert.deepEqual([second?.term, second?.isHeld()], [2, true]);
        assert.equal(first.isHeld(), false);
        assert.deepEqual(await settled(standby.leases.current('main')), { owner: 'standby', term: 2 });
      });

      it('pass on at once when they are released', async () => {
        const [a, b] = [await join(), await join()];
        const first = await settled(a.leases.campaign('main', 'a', never));
        const campaign = b.leases.campaign('main', 'b', never);
        await settled(first.release());
        await settled(first.lost);
        assert.equal((await settled(campaign)).term, 2);
        assert.equal(first.isHeld(), false);
      });

      it('stay with their leader over an outage of the servers', async () => {
        const [a, b] = [await join(), await join()];
        const first = await settled(a.leases.campaign('main', 'a', never));
        const abandon = new AbortController();
        const campaign = b.leases.campaign('main', 'b', abandon.signal);
        await settled(under.stopServers());
        await under.until('the leader holds itself back', () => !first.isHeld());
        await settled(under.startServers());
        await under.until('it leads again', () => first.isHeld());
        assert.deepEqual(await settled(a.leases.current('main')), { owner: 'a', term: 1 });
        abandon.abort();
        await rejectsWith('BUS_CLOSED', campaign);
      });

      it('of two shards are two', async () => {
        const bus = await join();
        const other = await join();
        assert.equal((await settled(bus.leases.campaign('one', 'a', never))).term, 1);
        assert.equal((await settled(other.leases.campaign('two', 'b', never))).term, 1);
        assert.equal(await settled(other.leases.current('three')), undefined);
      });
    });

    describe('snapshots', () => {
      it('are found whole, the newest of each shard', async () => {
        const [engine, edge] = [await join(), await join('edge')];
        assert.equal(await settled(edge.snapshots.newest('main')), undefined);
        const large = Buffer.alloc(1_700_000, 'snapshot ');
        assert.equal(await settled(engine.snapshots.save('main', 7, [bytes('early')])), true);
        const early = await settled(edge.snapshots.newest('main'));
        assert.deepEqual([early?.place, text(early?.bytes ?? bytes(''))], [7, 'early']);
        assert.equal(
          await settled(
            engine.snapshots.save('main', 9, [large.subarray(0, 700_001), large.subarray(700_001)]),
          ),
          true,
        );
        assert.equal(await settled(engine.snapshots.save('main', 8, [bytes('older')])), false);
        assert.equal(await settled(engine.snapshots.save('other', 1, [])), true);
        const found = await settled(edge.snapshots.newest('main'));
        assert.equal(found?.place, 9);
        assert.equal(Buffer.compare(found.bytes, large), 0);
        assert.equal((await settled(edge.snapshots.newest('other')))?.bytes.length, 0);
      });
    });

    describe('commands', () => {
      it('are answered by the one that leads', async () => {
        const [engine, edge] = [await join(), await join('edge')];
        await rejectsWith('BUS_NO_ANSWER', edge.commands.ask('other', 'claim', bytes('x')));
        const stop = engine.commands.answer('main', async (name, body) => {
          if (name === 'fail') throw new Error('no such place');
          return bytes(`${name} ${text(body)}`);
        });
        assert.equal(text(await settled(edge.commands.ask('main', 'claim', bytes('x')))), 'claim x');
        await assert.rejects(settled(edge.commands.ask('main', 'fail', bytes(''))), {
          code: 'BUS_COMMAND_FAILED',
          message: 'no such place',
        });
        stop();
        await rejectsWith('BUS_NO_ANSWER', edge.commands.ask('main', 'claim', bytes('x')));
      });
    });

    describe('shared values', () => {
      it('reach everybody, also over an outage of the servers', async () => {
        const [engine, edge] = [await join(), await join('edge')];
        const keys = engine.shared('keys');
        await settled(keys.set('one', bytes('1')));
        const known = new Map<string, string>();
        const apply = (change: SharedChange) => {
          if (change.type === 'set') known.set(change.value.name, text(change.value.bytes));
          else known.delete(change.name);
        };
        edge.shared('keys').watch(apply);
        await under.until('the key is known', () => known.get('one') === '1');
        await settled(under.stopServers());
        const changed = Promise.all([keys.remove('one'), keys.set('two', bytes('2'))]);
        await under.until('the engine knows', () => !engine.isConnected());
        await settled(under.startServers());
        await settled(changed);
        await settled(engine.shared('shards').set('three', bytes('not a key')));
        await under.until('the change is known', () => known.has('two') && !known.has('one'));
        assert.deepEqual([...known], [['two', '2']]);
        assert.equal(await settled(keys.get('one')), undefined);
        assert.equal(text((await settled(keys.get('two')))?.bytes ?? bytes('')), '2');
      });

      it('are made by one alone', async () => {
        const [a, b] = [(await join()).shared('shards'), (await join()).shared('shards')];
        assert.notEqual(await settled(a.create('main', bytes('a'))), undefined);
        assert.equal(await settled(b.create('main', bytes('b'))), undefined);
        await settled(a.remove('main'));
        assert.notEqual(await settled(b.create('main', bytes('b'))), undefined);
      });
    });

    describe('a cluster', () => {
      it('has one epoch, which only an engine begins', async () => {
        await rejectsWith('BUS_EMPTY', under.join('edge'));
        const [a, b] = await settled(Promise.all([under.join(), under.join()]));
        const edge = await join('edge');
        assert.match(a.bus.epoch, /^[\w-]+$/);
        assert.deepEqual([b.bus.epoch, edge.epoch], [a.bus.epoch, a.bus.epoch]);
        await rejectsWith('BUS_EMPTY', edge.shard('nobody'));
      });

      it('lets go of everything when it is closed', async () => {
        const bus = await join();
        const writer = await lead(bus, 1, 0);
        const { following } = await collect(bus);
        const lease = await settled(bus.leases.campaign('main', 'a', never));
        await settled(under.stopServers());
        const waiting = writer.append(entry('a'));
        const asked = bus.commands.ask('main', 'claim', bytes(''));
        const refused = [rejectsWith('BUS_CLOSED', waiting), assert.rejects(asked)];
        await settled(bus.close());
        await settled(Promise.all(refused));
        await settled(following.stop());
        await settled(lease.lost);
        assert.equal(lease.isHeld(), false);
        await settled(bus.close());
        await rejectsWith('BUS_CLOSED', bus.shard('main'));
      });
    });
  });
}
