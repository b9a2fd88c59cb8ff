import type { Entry, Place, ShardWriter, Term } from './bus.ts';
import { BusError } from './bus-error.ts';
import { formatId, parseId, splitIntoParts } from './parts.ts';
import { type RetryOptions, retryUnreachable, retryUntilKnown } from './retry-unreachable.ts';
import type { NewMessage, Stream } from './transport.ts';

/** The subject of the message that begins a term. */
export const TERM_SUBJECT = 'term';

export interface WriterOptions extends RetryOptions {
  readonly epoch: string;
  readonly stream: Stream;
  readonly largestBody: number;
  /** How long a stream may seem shorter than it was before that is believed. */
  readonly tailLostAfterMs: number;
}

/** What stands at the place where a message should have gone. */
type Outcome = 'stored' | { readonly otherTerm: Term; readonly isWhole: boolean } | 'gone';

/**
 * Stores a message behind `last` or finds out what is there instead. After an attempt whose outcome is not known it
 * tries again with the same id: then the server knows it, or refuses it, and what is at the place decides.
 */
function store(options: WriterOptions, message: NewMessage, last: Place): Promise<Outcome> {
  const { epoch, stream, time, tailLostAfterMs } = options;
  let shortSince: number | undefined;
  return retryUntilKnown<Outcome>(options, async () => {
    if ((await stream.publish(message, { last })) === last + 1) return { outcome: 'stored' };
    const there = await stream.read(last + 1);
    if (there !== undefined) {
      if (there.id === message.id) return { outcome: 'stored' };
      const { term, part, parts } = parseId(there, epoch);
      return { outcome: { otherTerm: term, isWhole: part === parts } };
    }
    const ends = await stream.ends();
    if (ends.last > last && ends.first > last + 1) return { outcome: 'gone' };
    // A server that has just become the leader may not know its newest messages yet.
    shortSince = ends.last < last ? (shortSince ?? time.mono()) : undefined;
    if (shortSince !== undefined && time.mono() - shortSince >= tailLostAfterMs) {
      throw new BusError(
        'BUS_TAIL_LOST',
        `the stream ends at place ${ends.last}, although place ${last} was acknowledged`,
      );
    }
    return undefined;
  });
}

function fencedBy(term: Term, other: Term | undefined): BusError {
  const by = other === undefined ? 'a later term' : `term ${other}`;
  return new BusError('BUS_FENCED', `term ${term} is over: ${by} has written to the stream`);
}

/** Begins a term behind `place`; see `Shard.beginTerm`. */
export async function beginTerm(
  options: WriterOptions,
  term: Term,
  place: Place,
): Promise<ShardWriter | 'behind'> {
  // What comes behind an entry of the same or a later term would take the terms back, even if it is the very next.
  const before = place === 0 ? undefined : await retryUnreachable(options, () => options.stream.read(place));
  if (before !== undefined) {
    const { term: other } = parseId(before, options.epoch);
    if (other >= term) throw fencedBy(term, other);
  }
  let last = place;
  for (;;) {
    const id = formatId({ epoch: options.epoch, term, place: last + 1, part: 1, parts: 1 });
    const outcome = await store(options, { subject: TERM_SUBJECT, id, body: new Uint8Array(0) }, last);
    if (outcome === 'stored') return createWriter(options, term, last + 1);
    if (outcome === 'gone') return 'behind';
    if (outcome.otherTerm >= term) throw fencedBy(term, outcome.otherTerm);
    if (outcome.isWhole) return 'behind';
    // Parts of an entry that its writer has not completed, or not yet: the term begins behind them.
    last += 1;
  }
}

function createWriter(options: WriterOptions, term: Term, begunAt: Place): ShardWriter {
  let place = begunAt;
  let queue: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const appendPart = async (entry: Entry, part: number, parts: number, body: Uint8Array): Promise<void> => {
    const id = formatId({ epoch: options.epoch, term, place: place + 1, part, parts });
    const outcome = await store(options, { subject: entry.kind, id, body }, place);
    if (outcome !== 'stored') throw fencedBy(term, outcome === 'gone' ? undefined : outcome.otherTerm);
    place += 1;
  };

  const append = async (entry: Entry): Promise<Place> => {
    if (failure !== undefined) throw failure.error;
    try {
      const bodies = splitIntoParts(entry.bytes, options.largestBody);
      for (const [index, body] of bodies.entries()) await appendPart(entry, index + 1, bodies.length, body);
      return place;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };

  return {
    term,
    get place() {
      return place;
    },
    append(entry) {
      const appended = queue.then(() => append(entry));
      queue = appended.catch(() => undefined);
      return appended;
    },
  };
}
