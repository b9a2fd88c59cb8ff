import { hash } from 'node:crypto';
import type { Observation } from '../../../streams/internal.ts';

/**
 * A digest of everything in a log up to an observation, in hexadecimal: two logs with the same digest at a seq have the
 * same observations up to there. It does not depend on the blocks in which they were written.
 */
export type Digest = string;

/** Of a log without observations. */
export const EMPTY_DIGEST: Digest = '0'.repeat(64);

/** The digest after one more observation. */
export function nextDigest(before: Digest, { seq, receivedAt, aheadMs = 0, fact }: Observation): Digest {
  return hash('sha256', before + JSON.stringify([seq, receivedAt, aheadMs, fact]));
}
