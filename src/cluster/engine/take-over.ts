import {
  calendarAt,
  GRAPH_VERSION,
  KEPT_STREAMS,
  type Observation,
  type Output,
} from '../../../streams/internal.ts';
import type { ShardWriter } from '../../bus/bus.ts';
import type { Journal, Outputs, Store } from '../../store/store.ts';
import { type Digest, nextDigest } from '../entries/chain.ts';
import { encodeLogEntry } from '../entries/log-entry.ts';
import { encodeOutputsEntry } from '../entries/outputs-entry.ts';
import type { Link, Position } from './position.ts';

/** Observations of one entry. */
const BLOCK = 500;

interface TakeOverDeps {
  readonly writer: ShardWriter;
  readonly store: Pick<Store, 'journal' | 'outputs'>;
  readonly position: Position;
  /** The end of the log and of the outputs on the stream. */
  readonly onBus: { readonly log: Link; readonly outputsUpTo: number };
  /** The latest outputs of streams that are not stored. */
  readonly passing: readonly Output[];
}

/**
 * What a new leader publishes before anything else: the end of the log that the stream has lost, if it has, and the outputs
 * that the leader before did not publish any more. Resolves to where the term goes on.
 */
export async function publishMissing(deps: TakeOverDeps): Promise<Position> {
  const { writer, store, position, onBus, passing } = deps;
  const { journal, outputs } = store;
  const digest = await appendLog(deps);
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
