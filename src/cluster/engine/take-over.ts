import {
  calendarAt,
  GRAPH_VERSION,
  KEPT_STREAMS,
  type Observation,
  type Output,
} from '../../../streams/internal.ts';
import type { ShardWriter } from '../../bus/bus.ts';
import type { FeedRow, FeedTopic, Journal, Outputs, Store, StoredFrames } from '../../store/store.ts';
import { type Digest, nextDigest } from '../entries/chain.ts';
import { encodeFeedEntry } from '../entries/feed-entry.ts';
import { encodeLogEntry } from '../entries/log-entry.ts';
import { encodeOutputsEntry } from '../entries/outputs-entry.ts';
import type { Link, Position } from './position.ts';

/** Observations of one entry. */
const BLOCK = 500;
/** Frames follow an observation later, and some are older than the observation that they wait for. */
const FRAMES_BEFORE_MS = 60_000;
const FRAMES_AT_ONCE = 256;

interface TakeOverDeps {
  readonly writer: ShardWriter;
  readonly store: Pick<Store, 'journal' | 'outputs' | 'feed'>;
  readonly position: Position;
  /** The end of the log and of the outputs on the stream. */
  readonly onBus: { readonly log: Link; readonly outputsUpTo: number };
  /** The latest outputs of streams that are not stored. */
  readonly passing: readonly Output[];
}

/**
 * What a new leader publishes before anything else: the end of the log that the stream has lost, if it has, with the frames
 * of that time, and the outputs that the leader before did not publish any more. Resolves to where the term goes on.
 */
export async function publishMissing(deps: TakeOverDeps): Promise<Position> {
  const { writer, store, position, onBus, passing } = deps;
  const { journal, outputs } = store;
  const lost = firstAfter(journal, onBus.log.seq);
  const digest = await appendLog(deps);
  if (lost !== undefined) await appendFrames(deps, calendarAt(lost) - FRAMES_BEFORE_MS);
  const last = lastOf(journal);
  if (last !== undefined) {
    const missing = [...keptAfter(outputs, onBus.outputsUpTo, last.seq), ...passing];
    const entry = { upTo: last.seq, calendarAt: calendarAt(last), outputs: missing };
    if (missing.length > 0) await writer.append({ kind: 'outputs', bytes: encodeOutputsEntry(entry) });
  }
  const seq = journal.head;
  return { ...position, place: writer.place, seq, digest, outputsUpTo: seq, graphVersion: GRAPH_VERSION };
}

/** Appends what the own log has beyond the stream, and resolves to the digest at its end. */
async function appendLog({ writer, store: { journal }, onBus: { log } }: TakeOverDeps): Promise<Digest> {
  let { digest } = log;
  let block: Observation[] = [];
  const flush = async () => {
    if (block.length === 0) return;
    const bytes = encodeLogEntry({ digest, graphVersion: GRAPH_VERSION, observations: block });
    await writer.append({ kind: 'log', bytes });
    block = [];
  };
  for (const observation of journal.head > log.seq ? journal.read(log.seq + 1) : []) {
    digest = nextDigest(digest, observation);
    block.push(observation);
    if (block.length >= BLOCK) await flush();
  }
  await flush();
  return digest;
}

/**
 * Appends the stored frames from an instant of the calendar on, UTC ms: the stream has lost them too. Who has them takes them
 * for known.
 */
async function appendFrames({ writer, store: { feed } }: TakeOverDeps, sinceAt: number): Promise<void> {
  const head = feed.head();
  if (head?.epoch === undefined) return;
  for (const topic of feed.topics()) {
    const rows = rowsSince(feed, topic, sinceAt);
    if (rows.length === 0) continue;
    const batch = { epoch: head.epoch, upTo: head.upTo, rows, topics: [topic] };
    await writer.append({ kind: 'feed', bytes: encodeFeedEntry(batch) });
  }
}

/** Read backwards in pieces that become larger, since rows are found by their numbers and not by their time. */
function rowsSince(feed: StoredFrames, { topic, seq }: FeedTopic, sinceAt: number): readonly FeedRow[] {
  const oldest = feed.oldest(topic) ?? seq + 1;
  for (let count = FRAMES_AT_ONCE; ; count *= 2) {
    const from = Math.max(oldest, seq - count + 1);
    const rows = feed.read(topic, from - 1, count);
    if (from > oldest && (rows[0]?.at ?? sinceAt) >= sinceAt) continue;
    const first = rows.findIndex(({ at }) => at >= sinceAt);
    // All that follow, also those from after the calendar was set back: there may be no hole.
    return first === -1 ? [] : rows.slice(first);
  }
}

function firstAfter(journal: Journal, seq: number): Observation | undefined {
  if (journal.head <= seq) return undefined;
  for (const observation of journal.read(seq + 1)) return observation;
  return undefined;
}

function lastOf(journal: Journal): Observation | undefined {
  for (const observation of journal.readBack(journal.head)) return observation;
  return undefined;
}

/** In the order of their observations. */
function keptAfter(outputs: Pick<Outputs, 'read'>, after: number, upTo: number): readonly Output[] {
  const found = KEPT_STREAMS.flatMap((stream) => {
    const rows: Output[] = [];
    for (const { seq, json } of outputs.read(stream, after + 1)) {
      // A row holds the JSON of an output.
      if (seq <= upTo) rows.push(JSON.parse(json) as Output);
    }
    return rows;
  });
  return found.toSorted((a, b) => a.seq - b.seq);
}
