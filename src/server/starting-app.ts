import { createProbesOnly } from './probes-only.ts';
import { starting } from './starting.ts';

/** Answers while there is nothing to serve yet: the probes, and to everything else that one has to wait. */
export function createStartingApp(reason: () => string): ReturnType<typeof createProbesOnly> {
  return createProbesOnly({ isLive: () => true, isReady: () => false, unready: reason }, () =>
    starting(reason()),
  );
}
