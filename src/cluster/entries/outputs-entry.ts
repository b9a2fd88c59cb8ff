import * as z from 'zod';
import { isStreamName, type Output } from '../../../streams/internal.ts';
import { decodeJson, encodeJson } from './versioned-json.ts';

/**
 * What the observations up to `upTo` led to: the outputs of one turn, or those of several that a leader did not publish
 * any more. A turn without outputs has no entry.
 */
export interface OutputsEntry {
  readonly upTo: number;
  /** When the last of the observations was received by the calendar, UTC ms. */
  readonly calendarAt: number;
  /** In the order in which they were emitted, those of passing streams too, without requests to simulators. */
  readonly outputs: readonly Output[];
}

/** What an output needs to be stored and found; its record is what a graph made. */
const output = z.custom<Output>((value) => {
  if (typeof value !== 'object' || value === null) return false;
  const { stream, key, seq, at, record } = value as Readonly<Record<string, unknown>>;
  return (
    typeof stream === 'string' &&
    isStreamName(stream) &&
    typeof key === 'string' &&
    Number.isSafeInteger(seq) &&
    typeof at === 'number' &&
    typeof record === 'object' &&
    record !== null
  );
});

const outputsEntry = z
  .strictObject({ upTo: z.int().min(1), calendarAt: z.number(), outputs: z.array(output) })
  .refine(({ upTo, outputs }) => outputs.every(({ seq }) => seq <= upTo));

export function encodeOutputsEntry({ upTo, calendarAt, outputs }: OutputsEntry): Uint8Array {
  return encodeJson(JSON.stringify({ upTo, calendarAt, outputs }));
}

export function decodeOutputsEntry(bytes: Uint8Array): OutputsEntry {
  return decodeJson(outputsEntry, bytes, 'an outputs entry');
}
