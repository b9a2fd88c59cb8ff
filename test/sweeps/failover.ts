import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { readPosition } from '../../src/cluster/engine/position.ts';
import { EMPTY_DIGEST, nextDigest } from '../../src/cluster/entries/chain.ts';
import { verify } from '../../src/research/verify.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createRng } from '../../src/world/rng.ts';
import { GRAPH_VERSION, type Output } from '../../streams/internal.ts';
import { steer } from '../support/api.ts';
import { administer } from '../support/bus/administer.ts';
import { comeTogether, type NatsServer } from '../support/bus/nats-server.ts';
import { eventually } from '../support/eventually.ts';
import { type EnginePair, openEnginePair } from './engine-pair.ts';

export interface FailoverSweep {
  readonly kills: number;
  readonly freezes: number;
  /** Needs three servers. */
  readonly natsKills: number;
  /** Decides what happens next, and when. */
  readonly seed: number;
  readonly servers: readonly NatsServer[];
  readonly report: (line: string) => void;
}

type FaultKind = 'kill' | 'freeze' | 'nats';

interface Fault {
  readonly kind: FaultKind;
  /** UTC ms. */
  readonly at: number;
}

export interface Silence {
  readonly kind: FaultKind;
  /** Ms. */
  readonly silences: readonly number[];
}

/** Some four hundred times as often as the liveliest accounts: none of a fault's silence is without a post. */
const POST_EVERY_MS = 1_000;
const SIMULATIONS = 10;
/** Nobody can have taken over so soon after a fault. */
const SURELY_SILENT_MS = 1_000;
const EXIT_TRY_AGAIN = 75;

/**
 * Kills and freezes the leading one of two engines, and the leader of the NATS servers, while their world is posting.
 * Resolves to how long the log was silent each time, after everything was checked: nothing that was posted is lost or there
 * twice, both folders have one log, and both verify.
 */
export async function sweepFailover(sweep: FailoverSweep): Promise<readonly Silence[]> {
  const { servers, report } = sweep;
  const random = createRng(sweep.seed).next;
  report(`seed ${sweep.seed}`);
  const kinds = inRandomOrder(sweep, random);
  const pair = await openEnginePair(servers.map(({ url }) => url).join(), servers.length === 1 ? 1 : 3);
  const ending = new AbortController();
  try {
    await pair.settled();
    const posting = keepPosting(pair.worldUrl, ending.signal);
    const faults: Fault[] = [];
    for (const [index, kind] of kinds.entries()) {
      const { leader } = await pair.settled();
      await delay(200 + random() * 1_000);
      const { at, what } = await cause(kind, pair, servers, random);
      faults.push({ kind, at });
      report(
        `${index + 1} of ${kinds.length}: ${kind} of engine ${leader.index}, ${what} after ${Date.now() - at} ms`,
      );
    }
    await pair.settled();
    ending.abort();
    const posted = await posting;
    await untilShown(pair, posted.at(-1) ?? '');
    await pair.stop();
    const times = await check(pair, posted, report);
    return (['kill', 'freeze', 'nats'] as const).map((kind) => ({
      kind,
      silences: faults.filter((fault) => fault.kind === kind).map(({ at }) => silenceAt(times, at)),
    }));
  } finally {
    ending.abort();
    await pair.remove();
  }
}

function inRandomOrder(
  { kills, freezes, natsKills }: FailoverSweep,
  random: () => number,
): readonly FaultKind[] {
  const all: FaultKind[] = [
    ...Array.from({ length: kills }, () => 'kill' as const),
    ...Array.from({ length: freezes }, () => 'freeze' as const),
    ...Array.from({ length: natsKills }, () => 'nats' as const),
  ];
  return all
    .map((kind) => ({ kind, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ kind }) => kind);
}

/** Resolves when things go on, to when it happened, UTC ms, and what came of it. */
async function cause(
  kind: FaultKind,
  pair: EnginePair,
  servers: readonly NatsServer[],
  random: () => number,
): Promise<{ readonly at: number; readonly what: string }> {
  const { leader, standby } = await pair.settled();
  const exits = leader.exits.length;
  if (kind === 'nats') {
    const ended = [leader.exits.length, standby.exits.length];
    const at = await killStreamLeader(servers);
    const told = [leader, standby]
      .map(({ index, said }) => [`engine ${index}`, ...said].join('\n'))
      .join('\n');
    assert.deepEqual([leader.exits.length, standby.exits.length], ended, `an engine ended:\n${told}`);
    assert.equal(leader.state, 'leading', 'the same engine leads');
    return { at, what: 'the same engine leads' };
  }
  const { process } = leader.program;
  const at = Date.now();
  process.kill(kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  await eventually('the standby leads', () => standby.state === 'leading');
  if (kind === 'freeze') {
    await delay(random() * 2_000);
    process.kill('SIGCONT');
  }
  await eventually('the former leader has ended', () => leader.exits.length > exits);
  if (kind === 'freeze') assert.equal(leader.exits.at(-1), EXIT_TRY_AGAIN, leader.said.slice(-3).join('\n'));
  return { at, what: `engine ${standby.index} leads` };
}

/** Kills the server that leads the stream of the shard, and starts it again when another one does. Resolves to when it was killed. */
async function killStreamLeader(servers: readonly NatsServer[]): Promise<number> {
  const leaderOf = (urls: readonly string[]) =>
    administer(urls, async (jsm) => {
      const { cluster, state } = await jsm.streams.info('TALLYWIRE_shard_main');
      return { leader: cluster?.leader, last: state.last_seq };
    });
  const before = await leaderOf(servers.map(({ url }) => url));
  const killed = servers.find(({ name }) => name === before.leader);
  assert.ok(killed, `the stream is led by ${before.leader}`);
  const at = Date.now();
  await killed.kill();
  const others = servers.filter((server) => server !== killed).map(({ url }) => url);
  await eventually('the stream grows again', async () => {
    const now = await leaderOf(others).catch(() => undefined);
    return now?.leader !== undefined && now.leader !== killed.name && now.last > before.last;
  });
  await killed.start();
  // The next fault is to meet three servers again: what a second one takes beside it is another figure.
  const urls = servers.map(({ url }) => url);
  const areCurrent = async () => (await copiesBehind(urls))?.length === 0;
  await comeTogether('the server has caught up', [killed], areCurrent).catch(async (error: unknown) => {
    const behind = JSON.stringify(await copiesBehind(urls));
    const said = servers.flatMap((server) => [server.name, ...server.lastLines(30)]);
    throw new Error([`${killed.name} was started again, behind are ${behind}`, ...said].join('\n'), {
      cause: error,
    });
  });
  return at;
}

/** The copies of streams that are not current; undefined when no server tells. */
function copiesBehind(urls: readonly string[]): Promise<readonly unknown[] | undefined> {
  return administer(urls, async (jsm) => {
    const streams = await jsm.streams.list().next();
    return streams.flatMap(({ config: { name: stream }, cluster }): readonly unknown[] => {
      if (cluster?.leader === undefined || cluster.replicas === undefined) return [{ stream, cluster }];
      return cluster.replicas.filter(({ current }) => !current).map((copy) => ({ stream, ...copy }));
    });
  }).catch(() => undefined);
}

async function keepPosting(worldUrl: string, signal: AbortSignal): Promise<readonly string[]> {
  const posted: string[] = [];
  while (!signal.aborted) {
    const text = `post number ${posted.length}`;
    await steer(worldUrl, 'post', { account: 'a', kind: 'original', text });
    posted.push(text);
    await delay(POST_EVERY_MS);
  }
  return posted;
}

async function textsOf(folder: string): Promise<readonly string[]> {
  const store = await openStore(folder, { readOnly: true });
  try {
    return Array.from(store.outputs.read('posts', 1), ({ json }) => {
      // A row holds the JSON of an output.
      const output = JSON.parse(json) as Output;
      return output.stream === 'posts' && output.cause === 'new_post' ? output.record.text : '';
    });
  } finally {
    await store.close();
  }
}

/** Both have the last post by then. */
async function untilShown({ folders }: EnginePair, text: string): Promise<void> {
  for (const folder of folders) {
    await eventually('the last post is in the folder', async () => (await textsOf(folder)).includes(text));
  }
}

/** Resolves to the times of the longer log, in order. */
async function check(
  { folders }: EnginePair,
  posted: readonly string[],
  report: FailoverSweep['report'],
): Promise<readonly number[]> {
  const logs = await Promise.all(
    folders.map(async (folder) => {
      const counts = new Map<string, number>();
      for (const text of await textsOf(folder)) counts.set(text, (counts.get(text) ?? 0) + 1);
      assert.deepEqual(
        posted.filter((text) => !counts.has(text)),
        [],
        'nothing that was posted is lost',
      );
      assert.deepEqual(
        posted.filter((text) => counts.get(text) !== 1),
        [],
        'nothing that was posted is there twice',
      );
      const store = await openStore(folder, { readOnly: true });
      try {
        const { difference } = await verify(store, { simulations: SIMULATIONS });
        assert.equal(difference, null);
        const digests: string[] = [];
        const times: number[] = [];
        let digest = EMPTY_DIGEST;
        for (const observation of store.journal.read(1)) {
          assert.equal(observation.seq, digests.length + 1);
          digest = nextDigest(digest, observation);
          digests.push(digest);
          times.push(observation.receivedAt);
        }
        const position = readPosition(store.notes);
        assert.ok(position);
        assert.equal(position.digest, digests[position.seq - 1], 'the noted digest is that of the log');
        assert.equal(position.graphVersion, GRAPH_VERSION);
        return { digests, times };
      } finally {
        await store.close();
      }
    }),
  );
  const common = Math.min(...logs.map(({ digests }) => digests.length));
  const [first, second] = logs.map(({ digests }) => digests[common - 1]);
  assert.equal(first, second, 'both folders have one log');
  const times =
    logs
      .flatMap((log) => (log.digests.length >= common ? [log.times] : []))
      .sort((a, b) => b.length - a.length)[0] ?? [];
  assert.ok(
    times.every((at, index) => at >= (times[index - 1] ?? 0)),
    'time never runs back',
  );
  report(
    `${posted.length} posts, 0 lost, 0 doubled; ${common} observations with one digest in both folders, verified`,
  );
  return times;
}

/** The time without an observation that a second after the fault lies in, ms. */
function silenceAt(times: readonly number[], at: number): number {
  const next = times.findIndex((time) => time > at + SURELY_SILENT_MS);
  const [from, to] = [times[next - 1], times[next]];
  assert.ok(from !== undefined && to !== undefined, 'the log goes on after a fault');
  return to - from;
}
