import { BusError } from './bus-error.ts';
import type { StoredMessage } from './transport.ts';

/** What the id of a message in a shard's stream says. */
interface MessageId {
  /** That of the cluster. */
  readonly epoch: string;
  readonly term: number;
  readonly place: number;
  /** Which part of an entry, from 1, of how many. */
  readonly part: number;
  readonly parts: number;
}

/**
 * The term is in the id because servers acknowledge a repeated id even with a stale expectation: without it, the writer
 * of an old term would take its successor's entry for its own. So is the epoch: terms begin again in a cluster that
 * was made anew.
 */
export function formatId({ epoch, term, place, part, parts }: MessageId): string {
  return `${epoch}:${term}:${place}:${part}/${parts}`;
}

export function parseId(message: StoredMessage, ours: string): MessageId {
  const [, epoch = '', ...numbers] = /^([\w-]+):(\d+):(\d+):(\d+)\/(\d+)$/.exec(message.id) ?? [];
  const [term = 0, place, part = 0, parts = 0] = numbers.map(Number);
  if (term < 1 || place !== message.place || part < 1 || part > parts) {
    throw new BusError(
      'BUS_DAMAGED',
      `the message at place ${message.place} was not written by an engine: its id is "${message.id}"`,
    );
  }
  if (epoch !== ours) {
    throw new BusError(
      'BUS_OTHER_CLUSTER',
      `the message at place ${place} is of the cluster with epoch ${epoch}, and this process belongs to ${ours}`,
    );
  }
  return { epoch, term, place, part, parts };
}

/** Pieces of at most `largest` bytes, at least one. */
export function splitIntoParts(bytes: Uint8Array, largest: number): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / largest));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * largest, (index + 1) * largest));
}

export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}

/** A whole entry, out of its parts. */
interface Assembled {
  readonly term: number;
  readonly place: number;
  readonly subject: string;
  readonly body: Uint8Array;
}

/**
 * Puts entries together from messages in their order. Parts that a writer left behind when it died are never completed,
 * and are dropped when the next entry begins.
 */
export function createAssembly(epoch: string): (message: StoredMessage) => Assembled | undefined {
  let held: Uint8Array[] = [];
  let newestTerm = 0;
  return (message) => {
    const { term, place, part, parts } = parseId(message, epoch);
    if (term < newestTerm) {
      throw new BusError('BUS_DAMAGED', `term ${term} wrote at place ${place}, behind term ${newestTerm}`);
    }
    newestTerm = term;
    if (part === 1) held = [];
    if (held.length !== part - 1) {
      throw new BusError(
        'BUS_DAMAGED',
        `part ${part} of ${parts} at place ${place} comes without those before it`,
      );
    }
    held.push(message.body);
    if (part < parts) return undefined;
    const body = joinParts(held);
    held = [];
    return { term, place, subject: message.subject, body };
  };
}
