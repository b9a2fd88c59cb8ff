import { isKept, type Observation, type Output } from '../../../streams/internal.ts';
import type { StoredEntry } from '../../bus/bus.ts';
import type { StandbyEngine } from '../../engine/engine.ts';
import { isRefusedWrite, ServiceError } from '../../errors.ts';
import { createCompaction } from '../../feed/log/compaction.ts';
import { createRetryingWriter, firstRefusal } from '../../resilience/retry-write.ts';
import type { FeedRow, Store } from '../../store/store.ts';
import { applyAccessEntry } from '../access/access-log.ts';
import { type Digest, EMPTY_DIGEST, nextDigest } from '../entries/chain.ts';
import { decodeFeedEntry } from '../entries/feed-entry.ts';
import { decodeLogEntry } from '../entries/log-entry.ts';
import { decodeOutputsEntry } from '../entries/outputs-entry.ts';
import { type Beginning, carry, type Link, type Position } from './position.ts';

interface ReplicaDeps {
  readonly store: Store;
  readonly engine: Pick<StandbyEngine, 'follow'>;
  readonly beginning: Beginning;
  /** Called when the outputs of an entry are not those that this engine made of the same log. */
  readonly onDifference: (upTo: number) => void;
  readonly report: (error: unknown) => void;
}

/** The store of a standby, which becomes what that of the leader is. */
export interface Replica {
  /** Applies the next entry of the stream. An entry that was applied before changes nothing. */
  apply(entry: StoredEntry): Promise<void>;
  /** Throws `CLUSTER_DIVERGED` unless this log and that on the stream are one as far as both go. */
  confirm(): void;
  isConfirmed(): boolean;
  readonly position: Position;
  /** The end of the log and of the outputs on the stream. The own store is ahead of it when the stream has lost its end. */
  readonly onBus: { readonly log: Link; readonly outputsUpTo: number };
  /** Has to be called each second. `at` is the time of the last observation, UTC ms. */
  onSecond(at: number): void;
  /** A write that the disk refuses is tried once more and then given up, so that `apply` ends. */
  abandonWrites(): void;
  stop(): Promise<void>;
}

function diverged(seq: number): ServiceError {
  return new ServiceError(
    'CLUSTER_DIVERGED',
    `the log of this data folder is not that of its shard: they differ at seq ${seq} or before`,
  );
}

function behind(seq: number): ServiceError {
  return new ServiceError(
    'CLUSTER_BEHIND',
    `the bus no longer has all that follows seq ${seq}, with which this data folder ends: ` +
      'make a copy of the folder of the leading engine with `tallywire backup`, and start on that',
  );
}

/** Kept outputs in an order that does not depend on how many turns they came in. */
function keptText(outputs: readonly Output[]): string {
  const kept = outputs.filter(({ stream }) => isKept(stream));
  return JSON.stringify(
    kept.toSorted((a, b) => a.seq - b.seq || (a.stream < b.stream ? -1 : a.stream === b.stream ? 0 : 1)),
  );
}

export function createReplica(deps: ReplicaDeps): Replica {
  const { store, engine, onDifference } = deps;
  const { journal, feed } = store;
  /** Outputs of observations after this seq are made by this process. */
  const madeFrom = journal.head;
  const compaction = createCompaction(feed, deps.report);
  const writer = createRetryingWriter({ onRefused: firstRefusal(deps.report), isRefusal: isRefusedWrite });
  const lastRows = new Map(feed.topics().map(({ topic, seq }) => [topic, seq]));
  /** Made here, and not yet found on the stream. */
  let made: Output[] = [];
  let { position } = deps.beginning;
  /** Until the stream has told it. */
  let isDigestKnown = deps.beginning.is !== 'shortened';
  let { log: logOnBus, outputsUpTo: outputsOnBus } = deps.beginning.published;
  /** Whether the stream was found to have this log, by the noted digest or by observations that both have. */
  let isCompared = deps.beginning.is === 'noted';
  /** Of an entry that is older than the noted digest, if there was one. */
  let unconfirmed: Link | undefined;

  function confirm(): void {
    if (unconfirmed === undefined) {
      if (!isDigestKnown) throw behind(position.seq);
      return;
    }
    const digest = carry(journal, unconfirmed, position.seq);
    if (isDigestKnown && digest !== position.digest) throw diverged(position.seq);
    position = { ...position, digest };
    isDigestKnown = true;
    unconfirmed = undefined;
  }

  /** Throws unless the own log has the same of these as far as both go. */
  function compare(observations: readonly Observation[]): void {
    const theirs = new Map(observations.map((each) => [each.seq, each]));
    for (const own of journal.read(observations[0]?.seq ?? 1)) {
      const their = theirs.get(own.seq);
      if (their === undefined) return;
      if (nextDigest(EMPTY_DIGEST, own) !== nextDigest(EMPTY_DIGEST, their)) throw diverged(own.seq);
    }
  }

  /** The observations after the position: those of the own log as far as it goes. */
  function* rest(observations: readonly Observation[]): Iterable<Observation> {
    const last = observations.at(-1)?.seq ?? 0;
    if (position.seq < journal.head) {
      for (const own of journal.read(position.seq + 1)) {
        if (own.seq > last) return;
        yield own;
      }
    }
    for (const observation of observations) if (observation.seq > journal.head) yield observation;
  }

  /** Throws unless the own log and these have this digest. */
  function prove(observations: readonly Observation[], last: number, digest: Digest): void {
    confirm();
    let found = position.digest;
    for (const observation of rest(observations)) found = nextDigest(found, observation);
    if (found !== digest) throw diverged(last);
  }

  async function applyLog(entry: StoredEntry): Promise<void> {
    const { digest, graphVersion, observations } = decodeLogEntry(entry.bytes);
    const first = observations[0]?.seq ?? 0;
    const last = observations.at(-1)?.seq ?? 0;
    logOnBus = { seq: last, digest };
    const isFirstInBoth = !isCompared && first <= position.seq;
    if (isFirstInBoth) {
      compare(observations);
      // Those of the stream may begin with another observation.
      isDigestKnown = false;
    }
    isCompared = true;
    if (last <= position.seq) {
      unconfirmed = { seq: last, digest };
      position = { ...position, place: entry.place, graphVersion };
      return;
    }
    if (first > position.seq + 1) throw behind(position.seq);
    // Nothing is known of the digest before the first one that goes beyond the own log.
    if (!isFirstInBoth) prove(observations, last, digest);
    isDigestKnown = true;
    const fresh = observations.filter(({ seq }) => seq > journal.head);
    for (const output of await engine.follow(fresh)) made.push(output);
    position = { ...position, place: entry.place, seq: last, digest, graphVersion };
  }

  function applyOutputs(entry: StoredEntry): void {
    const { upTo, outputs } = decodeOutputsEntry(entry.bytes);
    const own = made.filter(({ seq }) => seq <= upTo);
    made = made.filter(({ seq }) => seq > upTo);
    // Before that, some were made by the process before and are only in the store.
    if (position.outputsUpTo >= madeFrom && upTo > position.outputsUpTo) {
      const theirs = outputs.filter(({ seq }) => seq > position.outputsUpTo);
      if (keptText(own) !== keptText(theirs)) onDifference(upTo);
    }
    outputsOnBus = upTo;
    position = { ...position, place: entry.place, outputsUpTo: Math.max(upTo, position.outputsUpTo) };
  }

  async function applyAccess(entry: StoredEntry): Promise<void> {
    // Applied again from its beginning: each change makes the same of a store that has it.
    await writer.write(() => applyAccessEntry(store, entry.bytes));
    position = { ...position, place: entry.place };
  }

  /** Frames that are missing here would be missing for every reader once this engine leads. */
  function checkNumbers(rows: readonly FeedRow[]): void {
    const numbers = new Map<string, number>();
    for (const { topic, seq } of rows) {
      const last = numbers.get(topic) ?? lastRows.get(topic);
      if (last !== undefined && seq !== last + 1) throw behind(position.seq);
      numbers.set(topic, seq);
    }
  }

  async function applyFeed(entry: StoredEntry): Promise<void> {
    const batch = decodeFeedEntry(entry.bytes);
    const rows = batch.rows.filter(({ topic, seq }) => seq > (lastRows.get(topic) ?? 0));
    checkNumbers(rows);
    if (rows.length > 0) {
      const topics = batch.topics.filter(({ topic, seq }) => seq > (lastRows.get(topic) ?? 0));
      const upTo = Math.max(batch.upTo, feed.head()?.upTo ?? 0);
      await writer.write(() => feed.append({ epoch: batch.epoch, upTo, rows, topics }));
      for (const { topic, seq } of topics) lastRows.set(topic, seq);
      compaction.onStored(rows);
    }
    position = { ...position, place: entry.place };
  }

  return {
    get position() {
      return position;
    },
    get onBus() {
      return { log: logOnBus, outputsUpTo: outputsOnBus };
    },
    confirm,
    isConfirmed: () => unconfirmed === undefined && isDigestKnown,
    async apply(entry) {
      if (entry.kind === 'log') await applyLog(entry);
      else if (entry.kind === 'outputs') applyOutputs(entry);
      else if (entry.kind === 'access') await applyAccess(entry);
      else await applyFeed(entry);
    },
    onSecond: (at) => void compaction.onTick(at),
    abandonWrites: writer.stop,
    stop: () => compaction.stop(),
  };
}
