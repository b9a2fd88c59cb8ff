import * as z from 'zod';
import { StartError } from '../../errors.ts';
import { CLUSTER_NOTE, type Journal, type Notes } from '../../store/store.ts';
import { type Digest, EMPTY_DIGEST, nextDigest } from '../entries/chain.ts';

/** An observation of a log, and the digest up to there. */
export interface Link {
  readonly seq: number;
  readonly digest: Digest;
}

/**
 * How far a store has applied the stream of its shard. What comes behind `place` is applied again after a start, which
 * changes nothing where it was applied before; so it is noted now and then.
 */
export interface Position extends Link {
  readonly epoch: string;
  readonly shard: string;
  readonly place: number;
  /** Outputs up to this seq are on the stream. */
  readonly outputsUpTo: number;
  /** Of the last log entry; null before the first. */
  readonly graphVersion: number | null;
}

const position = z.strictObject({
  epoch: z.string(),
  shard: z.string(),
  place: z.int().min(0),
  seq: z.int().min(0),
  digest: z.string(),
  outputsUpTo: z.int().min(0),
  graphVersion: z.int().nullable(),
});

export function readPosition(notes: Pick<Notes, 'get'>): Position | undefined {
  const text = notes.get(CLUSTER_NOTE);
  return text === undefined ? undefined : position.parse(JSON.parse(text));
}

export async function notePosition(notes: Pick<Notes, 'set'>, { ...fields }: Position): Promise<void> {
  await notes.set(CLUSTER_NOTE, JSON.stringify(fields));
}

/** The digest at `seq`, from that of an earlier observation of the same log. */
export function carry(journal: Pick<Journal, 'read'>, from: Link, seq: number): Digest {
  let { digest } = from;
  if (seq === from.seq) return digest;
  for (const observation of journal.read(from.seq + 1)) {
    digest = nextDigest(digest, observation);
    if (observation.seq === seq) break;
  }
  return digest;
}

/** So many observations tell one log from any other: they have the times at which they were received. */
const TELLING = 1_000;

/** Where the digests of a log begin that was never on a bus: its last observations stand for all. */
function firstLink({ head, tail }: Journal): Link {
  return { seq: Math.max(0, Math.max(tail, head - TELLING) - 1), digest: EMPTY_DIGEST };
}

interface Place {
  readonly epoch: string;
  readonly shard: string;
  /** The data folder. */
  readonly data: string;
}

export interface Beginning {
  /** `shortened`: the store has lost the end of its log since, and the digest at this one is not known. */
  readonly is: 'noted' | 'new' | 'shortened';
  readonly position: Position;
  /**
   * What follows this is published if the stream has nothing. Of a log that is new to the stream that is its end, so that
   * an engine which is a little behind still finds what it lacks.
   */
  readonly published: { readonly log: Link; readonly outputsUpTo: number };
}

/**
 * Where a store goes on. One that was never on this bus begins with what it has, and so does one whose bus was made anew.
 * One whose log was cut at damage has what it lost on the bus. A store of another shard is refused.
 */
export function beginningOf(
  { journal, notes }: { readonly journal: Journal; readonly notes: Notes },
  { epoch, shard, data }: Place,
): Beginning {
  const noted = readPosition(notes);
  if (noted !== undefined && noted.shard !== shard) {
    throw new StartError(
      'START_OTHER_SHARD',
      `the data folder ${data} belongs to the shard ${noted.shard}, not to ${shard}; choose another with --data`,
    );
  }
  if (noted !== undefined && noted.epoch === epoch) {
    const { head } = journal;
    if (noted.seq <= head) return goingOn('noted', noted);
    const outputsUpTo = Math.min(noted.outputsUpTo, head);
    return goingOn('shortened', { ...noted, place: 0, seq: head, outputsUpTo });
  }
  const first = firstLink(journal);
  const { head: seq } = journal;
  const digest = carry(journal, first, seq);
  return {
    is: 'new',
    position: { epoch, shard, place: 0, seq, digest, outputsUpTo: seq, graphVersion: null },
    published: { log: first, outputsUpTo: first.seq },
  };
}

function goingOn(is: Beginning['is'], position: Position): Beginning {
  return { is, position, published: { log: position, outputsUpTo: position.outputsUpTo } };
}
