import * as z from 'zod';
import type { Output } from '../../../streams/internal.ts';
import type { Place } from '../../bus/bus.ts';
import type { Notes } from '../../store/store.ts';

/** Up to where a cache has followed its shard. */
interface CachePlace {
  /** Of the cluster. */
  readonly epoch: string;
  readonly place: Place;
}

const PLACE_NOTE = 'edge.place';
const PASSING_NOTE = 'edge.passing';

const placeNote = z.object({ epoch: z.string(), place: z.int().min(0) });

/** Undefined for a cache that was never filled. */
export function placeOf(notes: Notes): CachePlace | undefined {
  const text = notes.get(PLACE_NOTE);
  return text === undefined ? undefined : placeNote.parse(JSON.parse(text));
}

/** The latest outputs of passing streams, which are not among the stored outputs. */
export function passingOf(notes: Notes): readonly Output[] {
  const texts: unknown = JSON.parse(notes.get(PASSING_NOTE) ?? '[]');
  // Only `rememberPlace` writes it, with the JSON of outputs.
  return z
    .array(z.string())
    .parse(texts)
    .map((text) => JSON.parse(text) as Output);
}

/** The place comes last: what is newer than it is applied again, which changes nothing. */
export async function rememberPlace(
  notes: Notes,
  place: CachePlace,
  passing: readonly string[],
): Promise<void> {
  await notes.set(PASSING_NOTE, JSON.stringify(passing));
  await notes.set(PLACE_NOTE, JSON.stringify(place));
}
