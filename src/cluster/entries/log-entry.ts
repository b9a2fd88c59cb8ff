import * as z from 'zod';
import type { Fact, Observation } from '../../../streams/internal.ts';
import type { Digest } from './chain.ts';
import { decodeJson, encodeJson } from './versioned-json.ts';

/** A block of the log. */
interface LogEntry {
  /** Of the log up to the last of the observations. */
  readonly digest: Digest;
  /** Of the engine that wrote it. */
  readonly graphVersion: number;
  /** At least one, their seqs without a gap. */
  readonly observations: readonly Observation[];
}

/** The digest proves the content of facts: an engine made them, from what its sources had decoded. */
const fact = z.custom<Fact>(
  (value) => typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string',
);

const seq = z.int().min(1);

const logEntry = z
  .strictObject({
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    graphVersion: z.int(),
    /** Of the first observation. */
    seq,
    observations: z.array(z.tuple([z.number(), fact]).or(z.tuple([z.number(), fact, z.number()]))).min(1),
  })
  .transform(
    ({ digest, graphVersion, seq: first, observations }): LogEntry => ({
      digest,
      graphVersion,
      observations: observations.map(([receivedAt, fact, aheadMs], index) => {
        const seq = first + index;
        return aheadMs === undefined ? { seq, receivedAt, fact } : { seq, receivedAt, aheadMs, fact };
      }),
    }),
  );

export function encodeLogEntry({ digest, graphVersion, observations }: LogEntry): Uint8Array {
  return encodeJson(
    JSON.stringify({
      digest,
      graphVersion,
      seq: observations[0]?.seq,
      observations: observations.map(({ receivedAt, fact, aheadMs }) =>
        aheadMs === undefined ? [receivedAt, fact] : [receivedAt, fact, aheadMs],
      ),
    }),
  );
}

export function decodeLogEntry(bytes: Uint8Array): LogEntry {
  return decodeJson(logEntry, bytes, 'a log entry');
}
