import { isKept, STREAM_NAMES } from '../../streams/internal.ts';
import type { Latest } from '../views/latest.ts';

/** Streams whose latest outputs readers see, though no store has them. */
const PASSING = STREAM_NAMES.filter((stream) => !isKept(stream) && stream !== 'requests');

/** JSON of the latest outputs of passing streams. */
export function passingTexts(latest: Pick<Latest, 'all'>): readonly string[] {
  return PASSING.flatMap((stream) => Array.from(latest.all(stream), (output) => JSON.stringify(output)));
}
