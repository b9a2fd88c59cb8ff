import assert from 'node:assert/strict';
import { readPosition } from '../../../src/cluster/engine/position.ts';
import { EMPTY_DIGEST, nextDigest } from '../../../src/cluster/entries/chain.ts';
import { encodeLogEntry } from '../../../src/cluster/entries/log-entry.ts';
import { decodeMember } from '../../../src/cluster/entries/member.ts';
import { decodeOutputsEntry, encodeOutputsEntry } from '../../../src/cluster/entries/outputs-entry.ts';
import { CLUSTER_NOTE, type Store } from '../../../src/store/store.ts';
import { GRAPH_VERSION, type Observation } from '../../../streams/internal.ts';
import {
  createSimulatedShard,
  type SimulatedEngine,
  type SimulatedShard,
} from '../../support/bus/simulated-shard.ts';
import { post, settings } from '../../support/facts.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import { postIdAt } from '../../support/payloads.ts';
import { withSeed } from '../../support/with-seed.ts';

const AT = Date.UTC(2026, 3, 9, 11);
const aPost = (n: number) => post({ id: postIdAt(AT + n), createdAt: AT + n });
const logOf = ({ journal }: Store) => [...journal.read(1)];
const postsOf = (store: Store) => logOf(store).flatMap(({ fact }) => (fact.kind === 'post' ? [fact.id] : []));

/** A shard for one test, with its seed in a failure. */
const onShard = (test: (shard: SimulatedShard) => Promise<void>) => () =>
  withSeed(async (seed) => {
    const shard = createSimulatedShard(seed);
    try {
      await test(shard);
    } finally {
      await shard.close();
    }
  });

async function leads(shard: SimulatedShard, engine: SimulatedEngine): Promise<void> {
  await shard.until('the engine leads and asks', () => engine.isAsking());
}

/** Waits until one has all of the other's log. */
const follows = (shard: SimulatedShard, standby: SimulatedEngine, leader: SimulatedEngine) =>
  shard.until('the standby has the whole log', () => standby.store.journal.head >= leader.store.journal.head);

describe('an engine on a bus', () => {
  it(
    'leads when it is alone, and tells the others of itself',
    onShard(async (shard) => {
      const engine = await shard.start();
      await leads(shard, engine);
      await shard.settled(engine.deliver(aPost(1)));
      assert.deepEqual(postsOf(engine.store), [aPost(1).id]);
      await shard.pass(1_500);
      const { head } = engine.store.journal;
      const position = readPosition(engine.store.notes);
      assert.equal(position?.seq, head);
      assert.equal(position?.digest, logOf(engine.store).reduce(nextDigest, EMPTY_DIGEST));
      const [told] = await shard.settled(membersOf(engine));
      assert.deepEqual(
        [told?.state, told?.term, told?.seq, told?.digest, told?.alarm],
        ['leader', 1, head, position?.digest, null],
      );
    }),
  );

  it(
    'stands by with the log, the outputs and the frames of the leader',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      for (const n of [1, 2, 3]) await shard.settled(leader.deliver(aPost(n)));
      const batch = await sendFrame(shard, leader, 1);
      await shard.until('the frame is there', () => standby.store.feed.head() !== undefined);
      assert.deepEqual(standby.store.feed.read('posts/a', 0, 9), batch.rows);
      assert.equal(standby.store.feed.head()?.upTo, batch.upTo);
      await follows(shard, standby, leader);
      assert.deepEqual(logOf(standby.store), logOf(leader.store));
      assert.deepEqual(standby.store.outputs.latest('posts'), leader.store.outputs.latest('posts'));
      assert.ok(!standby.isAsking());
      assert.equal(standby.membership.state().alarm, null);
    }),
  );

  it(
    'takes over from a leader that was killed, and goes on where that ended',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      // Its calendar is behind, and the time of the log does not run back.
      const standby = await shard.start({ calendarMs: -60_000 });
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      const { head } = leader.store.journal;
      const killedAt = shard.mono();
      leader.node.kill();
      await leads(shard, standby);
      assert.ok(shard.mono() - killedAt < 3_000, `after ${shard.mono() - killedAt} ms`);
      await shard.settled(standby.deliver(aPost(2)));
      assert.deepEqual(postsOf(standby.store), [aPost(1).id, aPost(2).id]);
      const log = logOf(standby.store);
      assert.ok(log.length > head);
      assert.deepEqual(
        log.map(({ seq }) => seq),
        log.map((_, index) => index + 1),
      );
      for (const [index, { receivedAt }] of log.entries()) {
        assert.ok(receivedAt >= (log[index - 1]?.receivedAt ?? 0));
      }
    }),
  );

  it(
    'publishes the outputs that the leader before did not',
    onShard(async (shard) => {
      const { bus, node } = await shard.connect();
      const stream = await shard.settled(bus.shard('main'));
      await shard.settled(bus.leases.campaign('main', 'first', new AbortController().signal));
      const writer = await shard.settled(stream.beginTerm(1, 0));
      assert.ok(writer !== 'behind');
      const log: Observation[] = [settings(), aPost(1)].map((fact, index) => ({
        seq: index + 1,
        receivedAt: AT,
        fact,
      }));
      const digest = log.reduce(nextDigest, EMPTY_DIGEST);
      const bytes = encodeLogEntry({ digest, graphVersion: GRAPH_VERSION, observations: log });
      await shard.settled(writer.append({ kind: 'log', bytes }));
      const standby = await shard.start();
      await shard.until('it stands by', () => standby.news.length > 0);
      node.kill();
      await leads(shard, standby);
      const entries = shard.cluster
        .stream('shard_main')
        .history.filter(({ subject }) => subject === 'outputs');
      const { upTo, outputs } = decodeOutputsEntry(entries[0]?.body ?? new Uint8Array());
      assert.equal(upTo, 2);
      assert.ok(outputs.some(({ stream, key }) => stream === 'posts' && key === aPost(1).id));
    }),
  );

  it(
    'lets a standby take over at once when it stops',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.until('it stands by', () => standby.news.length > 0);
      await leader.stop();
      const from = shard.mono();
      await leads(shard, standby);
      assert.ok(shard.mono() - from < 1_000);
      assert.equal((await shard.settled(membersOf(standby))).length, 1);
    }),
  );

  it(
    'is refused when it wakes after another one took over, and keeps nothing of that',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      leader.node.freeze();
      await leads(shard, standby);
      const late = leader.deliver(aPost(9)).then(
        () => 'stored',
        () => 'refused',
      );
      leader.node.resume();
      assert.equal(await shard.settled(late), 'refused');
      await shard.until('it ends', () => leader.end() !== undefined);
      assert.equal(leader.end()?.code, 'CLUSTER_TERM_OVER');
      await shard.settled(standby.deliver(aPost(2)));
      assert.deepEqual(postsOf(leader.store), [aPost(1).id]);
      assert.deepEqual(postsOf(standby.store), [aPost(1).id, aPost(2).id]);
    }),
  );

  it(
    'asks nothing from 1.5 s after it was cut off, and goes on when it is back',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      leader.node.cutOff();
      const held = leader.deliver(aPost(1));
      await shard.pass(1_500);
      assert.equal(leader.leadership()?.lease.isHeld(), false);
      await shard.until('it asks nothing', () => !leader.isAsking());
      assert.deepEqual(postsOf(leader.store), []);
      assert.ok(leader.membership.heldMs() > 0);
      leader.node.rejoin();
      const from = shard.mono();
      await shard.settled(held);
      await leads(shard, leader);
      assert.ok(shard.mono() - from < 2_000, `${shard.mono() - from} ms`);
      assert.deepEqual(postsOf(leader.store), [aPost(1).id]);
    }),
  );

  it(
    'holds its turn while the servers are down, and no other one takes over',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.until('it stands by', () => standby.news.length > 0);
      shard.cluster.setDown(true);
      const held = leader.deliver(aPost(1));
      await shard.pass(20_000);
      assert.deepEqual(postsOf(leader.store), []);
      shard.cluster.setDown(false);
      const from = shard.mono();
      await shard.settled(held);
      await leads(shard, leader);
      assert.ok(shard.mono() - from < 2_000, `${shard.mono() - from} ms`);
      await shard.pass(5_000);
      assert.equal(standby.leadership(), undefined);
      assert.equal(leader.end(), undefined);
      await follows(shard, standby, leader);
      assert.deepEqual(postsOf(standby.store), [aPost(1).id]);
    }),
  );

  it(
    'raises an alarm and does not take over when its outputs are not the leader’s',
    onShard(async (shard) => {
      const { writer, node } = await rawLeader(shard);
      const standby = await shard.start();
      await shard.until('it stands by', () => standby.news.length > 0);
      const log = [
        { seq: 1, receivedAt: AT, fact: settings() },
        { seq: 2, receivedAt: AT, fact: aPost(1) },
      ];
      const digest = log.reduce(nextDigest, EMPTY_DIGEST);
      const bytes = encodeLogEntry({ digest, graphVersion: GRAPH_VERSION, observations: log });
      await shard.settled(writer.append({ kind: 'log', bytes }));
      const outputs = encodeOutputsEntry({ upTo: 2, calendarAt: AT, outputs: [] });
      await shard.settled(writer.append({ kind: 'outputs', bytes: outputs }));
      await shard.until('it has an alarm', () => standby.membership.state().alarm !== null);
      assert.match(standby.membership.state().alarm ?? '', /outputs up to seq 2 are not those/);
      node.kill();
      await shard.pass(10_000);
      assert.equal(standby.leadership(), undefined);
      assert.equal(standby.store.journal.head, 2);
    }),
  );

  it(
    'never leads after an engine of another graph version, unless that has stopped in order',
    onShard(async (shard) => {
      const { writer, node, lease } = await rawLeader(shard);
      const observations = [{ seq: 1, receivedAt: AT, fact: settings() }];
      const digest = observations.reduce(nextDigest, EMPTY_DIGEST);
      const bytes = encodeLogEntry({ digest, graphVersion: GRAPH_VERSION + 1, observations });
      await shard.settled(writer.append({ kind: 'log', bytes }));
      const standby = await shard.start();
      await shard.until('it has an alarm', () => standby.membership.state().alarm !== null);
      assert.match(standby.membership.state().alarm ?? '', /graph version/);
      node.cutOff();
      await shard.pass(10_000);
      assert.equal(standby.leadership(), undefined);
      node.rejoin();
      await shard.settled(lease.release());
      await leads(shard, standby);
      assert.equal(standby.membership.state().alarm, null);
    }),
  );

  it(
    'no longer campaigns when an engine of another graph version has taken over',
    onShard(async (shard) => {
      const { writer, node } = await rawLeader(shard);
      const standby = await shard.start();
      await shard.until('it stands by', () => standby.news.length > 0);
      const observations = [{ seq: 1, receivedAt: AT, fact: settings() }];
      const digest = observations.reduce(nextDigest, EMPTY_DIGEST);
      const bytes = encodeLogEntry({ digest, graphVersion: GRAPH_VERSION + 1, observations });
      await shard.settled(writer.append({ kind: 'log', bytes }));
      await shard.until('it has an alarm', () => standby.membership.state().alarm !== null);
      node.kill();
      await shard.pass(10_000);
      assert.equal(standby.leadership(), undefined);
    }),
  );

  it(
    'follows on after a restart from where it was',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      await standby.stop();
      await shard.settled(leader.deliver(aPost(2)));
      const again = await shard.start({ store: standby.store });
      await shard.settled(leader.deliver(aPost(3)));
      await follows(shard, again, leader);
      assert.deepEqual(logOf(again.store), logOf(leader.store));
      assert.equal(again.membership.state().alarm, null);
    }),
  );

  it(
    'gets back from the bus what its own log has lost since it noted its place',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      for (const n of [1, 2, 3]) await shard.settled(leader.deliver(aPost(n)));
      await follows(shard, standby, leader);
      await standby.stop();
      const cut = createMemoryStore();
      const lost = Math.floor(standby.store.journal.head / 2);
      await cut.journal.append(logOf(standby.store).slice(0, -lost));
      await cut.notes.set(CLUSTER_NOTE, standby.store.notes.get(CLUSTER_NOTE) ?? '');
      const again = await shard.start({ store: cut });
      await shard.settled(leader.deliver(aPost(4)));
      await follows(shard, again, leader);
      assert.deepEqual(logOf(again.store), logOf(leader.store));
      assert.deepEqual([again.end(), again.membership.state().alarm], [undefined, null]);
      await shard.pass(1_500);
      const position = readPosition(cut.notes);
      const whole = logOf(leader.store).slice(0, position?.seq);
      assert.equal(position?.digest, whole.reduce(nextDigest, EMPTY_DIGEST));
      leader.node.kill();
      await leads(shard, again);
    }),
  );

  it(
    'says that it needs a copy when its log was cut, and the bus has nothing of what is left of it',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      for (const n of [1, 2, 3]) await shard.settled(leader.deliver(aPost(n)));
      await follows(shard, standby, leader);
      await standby.stop();
      const cut = createMemoryStore();
      await cut.journal.append(logOf(standby.store).slice(0, 2));
      await cut.notes.set(CLUSTER_NOTE, standby.store.notes.get(CLUSTER_NOTE) ?? '');
      const { history } = shard.cluster.stream('shard_main');
      const last = history.findLast(({ subject }) => subject === 'log')?.place ?? 0;
      shard.cluster.stream('shard_main').purge(({ place }) => place < last);
      const again = await shard.start({ store: cut });
      await shard.until('it ends', () => again.end() !== undefined);
      assert.equal(again.end()?.code, 'CLUSTER_BEHIND');
    }),
  );

  it(
    'appends again what the stream has lost of its log',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      await shard.settled(leader.deliver(aPost(1)));
      await shard.pass(1_500);
      await shard.settled(leader.deliver(aPost(2)));
      await leader.stop();
      const { history } = shard.cluster.stream('shard_main');
      const kept = history.findIndex(({ subject, body }) => subject === 'outputs' && body.length > 0);
      cutStream(shard, kept + 1);
      const again = await shard.start({ store: leader.store });
      await leads(shard, again);
      await shard.settled(again.deliver(aPost(3)));
      const standby = await shard.start();
      await follows(shard, standby, again);
      assert.deepEqual(logOf(standby.store), logOf(again.store));
      assert.deepEqual(
        postsOf(standby.store),
        [1, 2, 3].map((n) => aPost(n).id),
      );
    }),
  );

  it(
    'says that it needs a copy when the bus no longer has what it lacks',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      await shard.settled(leader.deliver(aPost(1)));
      shard.cluster.stream('shard_main').purge(({ place }) => place < 4);
      const standby = await shard.start();
      await shard.until('it ends', () => standby.end() !== undefined);
      assert.equal(standby.end()?.code, 'CLUSTER_BEHIND');
      assert.match(standby.end()?.message ?? '', /tallywire backup/);
      assert.equal(standby.store.journal.head, 0);
    }),
  );

  it(
    'ends, and leaves the leader alone, when its log is not that of the shard',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      await standby.stop();
      // As if it had gone on alone.
      const head = standby.store.journal.head;
      await standby.store.journal.append([{ seq: head + 1, receivedAt: AT + 86_400_000, fact: aPost(7) }]);
      await shard.settled(leader.deliver(aPost(2)));
      const again = await shard.start({ store: standby.store });
      await shard.until('it ends', () => again.end() !== undefined);
      assert.equal(again.end()?.code, 'CLUSTER_DIVERGED');
      assert.equal(again.leadership(), undefined);
      assert.deepEqual(postsOf(leader.store), [aPost(1).id, aPost(2).id]);
    }),
  );

  it(
    'ends when the bus has lost everything, and goes on with its log when it is started again',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      shard.cluster.remove();
      await shard.until('the leader ends', () => leader.end() !== undefined);
      assert.equal(leader.end()?.code, 'CLUSTER_TERM_OVER');
      await leader.stop();
      const again = await shard.start({ store: leader.store });
      await shard.until('the standby ends', () => standby.end() !== undefined);
      assert.equal(standby.end()?.code, 'CLUSTER_BUS_LOST');
      await standby.stop();
      const back = await shard.start({ store: standby.store });
      await shard.until('one of them asks', () => again.isAsking() || back.isAsking());
      const [first, second] = again.isAsking() ? [again, back] : [back, again];
      await shard.settled(first.deliver(aPost(2)));
      await follows(shard, second, first);
      assert.deepEqual(postsOf(first.store), [aPost(1).id, aPost(2).id]);
      assert.deepEqual(logOf(second.store), logOf(first.store));
    }),
  );

  it(
    'follows on when the bus has lost everything that it lacks and the next leader has it',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await sendFrame(shard, leader, 1);
      await shard.until('the frame is there', () => standby.store.feed.head() !== undefined);
      await follows(shard, standby, leader);
      await standby.stop();
      for (const n of [2, 3]) await shard.settled(leader.deliver(aPost(n)));
      for (const n of [2, 3]) await sendFrame(shard, leader, n);
      await loseBus(shard, leader);
      assert.ok(standby.store.journal.head < leader.store.journal.head);
      const again = await shard.start({ store: leader.store });
      await leads(shard, again);
      await shard.settled(again.deliver(aPost(4)));
      const back = await shard.start({ store: standby.store });
      await follows(shard, back, again);
      assert.deepEqual(logOf(back.store), logOf(again.store));
      assert.deepEqual(back.store.outputs.latest('posts'), again.store.outputs.latest('posts'));
      assert.equal(back.membership.state().alarm, null);
      assert.deepEqual(back.store.feed.read('posts/a', 0, 9), again.store.feed.read('posts/a', 0, 9));
      assert.equal(back.store.feed.read('posts/a', 0, 9).length, 3);
      again.node.kill();
      await leads(shard, back);
      await shard.settled(back.deliver(aPost(5)));
      assert.deepEqual(
        postsOf(back.store),
        [1, 2, 3, 4, 5].map((n) => aPost(n).id),
      );
    }),
  );

  it(
    'is refused by what the next leader publishes of its log when its own went on differently',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      const standby = await shard.start();
      await shard.settled(leader.deliver(aPost(1)));
      await follows(shard, standby, leader);
      await standby.stop();
      const head = standby.store.journal.head;
      await standby.store.journal.append([{ seq: head + 1, receivedAt: AT + 86_400_000, fact: aPost(7) }]);
      for (const n of [2, 3]) await shard.settled(leader.deliver(aPost(n)));
      await loseBus(shard, leader);
      const again = await shard.start({ store: leader.store });
      await leads(shard, again);
      const back = await shard.start({ store: standby.store });
      await shard.until('it ends', () => back.end() !== undefined);
      assert.equal(back.end()?.code, 'CLUSTER_OTHER_LOG');
      assert.equal(back.leadership(), undefined);
    }),
  );

  it(
    'refuses a folder with another log, and one of another shard, and changes neither',
    onShard(async (shard) => {
      const leader = await shard.start();
      await leads(shard, leader);
      await shard.settled(leader.deliver(aPost(1)));
      const store = createMemoryStore();
      await store.journal.append([{ seq: 1, receivedAt: AT, fact: settings() }]);
      const stranger = await shard.start({ store });
      await shard.until('it ends', () => stranger.end() !== undefined);
      assert.equal(stranger.end()?.code, 'CLUSTER_OTHER_LOG');
      assert.equal(readPosition(store.notes), undefined);
      await leader.stop();
      await assert.rejects(shard.start({ store: leader.store, shard: 'west' }), {
        code: 'START_OTHER_SHARD',
      });
    }),
  );
});

/** The bus loses everything, and the leader ends. */
async function loseBus(shard: SimulatedShard, leader: SimulatedEngine): Promise<void> {
  shard.cluster.remove();
  await shard.until('the leader ends', () => leader.end() !== undefined);
  await leader.stop();
}

/** As the feed of a leader does. */
async function sendFrame(shard: SimulatedShard, leader: SimulatedEngine, seq: number) {
  const publishing = leader.leadership()?.publishing;
  assert.ok(publishing);
  const { head } = leader.store.journal;
  const [last] = leader.store.journal.readBack(head);
  const batch = {
    epoch: leader.bus.epoch,
    upTo: head,
    rows: [{ topic: 'posts/a', seq, at: last?.receivedAt ?? 0, text: `frame ${seq}` }],
    topics: [{ topic: 'posts/a', seq, keys: [] }],
  };
  await shard.settled(publishing.share(batch));
  await publishing.frames(leader.store.feed).append(batch);
  return batch;
}

async function rawLeader(shard: SimulatedShard) {
  const { bus, node } = await shard.connect();
  const stream = await shard.settled(bus.shard('main'));
  const lease = await shard.settled(bus.leases.campaign('main', 'first', new AbortController().signal));
  const writer = await shard.settled(stream.beginTerm(lease.term, 0));
  assert.ok(writer !== 'behind');
  return { writer, lease, node };
}

async function membersOf({ bus }: SimulatedEngine) {
  const found = new Map<string, ReturnType<typeof decodeMember>>();
  const watching = bus.shared('members').watch((change) => {
    if (change.type === 'set') found.set(change.value.name, decodeMember(change.value.bytes));
    else found.delete(change.name);
  });
  while (watching.caughtUpAt === undefined) await new Promise((resolve) => setImmediate(resolve));
  await watching.stop();
  return [...found.values()];
}

/** The stream forgets everything behind a place, as one that was not on disk does. */
function cutStream({ cluster }: SimulatedShard, place: number): void {
  const stream = cluster.stream('shard_main');
  const kept = stream.history.slice(0, place);
  cluster.remove('shard_main');
  cluster.restore('shard_main', stream.spec, kept);
}
