import { RequestError } from '../errors.ts';
import { createProbesOnly } from './probes-only.ts';

/** Answers while there is nothing to serve yet: the probes, and to everything else that one has to wait. */
export function createStartingApp(reason: () => string): ReturnType<typeof createProbesOnly> {
  return createProbesOnly(
    { isLive: () => true, isReady: () => false, unready: reason },
    () => new RequestError(503, 'starting', `The service starts: ${reason()}`, { 'Retry-After': '5' }),
  );
}
