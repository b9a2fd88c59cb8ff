import { RequestError } from '../errors.ts';
import type { App } from './app.ts';
import type { Operations } from './operations.ts';
import { createProbesOnly } from './probes-only.ts';

const SENTENCE = 'This engine stands by for another one; ask that one, or an edge';

/**
 * What an engine answers that stands by for another one: its probes, and to all else that readers go elsewhere. It counts
 * no calls and takes no payments, which are the leader's.
 */
export function createStandbyApp(
  operations: Pick<Operations, 'isLive' | 'isReady'>,
): Pick<App, 'callback' | 'beginDrain' | 'close'> {
  const answer = createProbesOnly(
    operations,
    () => new RequestError(503, 'standing_by', SENTENCE, { 'Retry-After': '5' }),
  );
  return { callback: () => answer, beginDrain: () => undefined, close: () => undefined };
}
