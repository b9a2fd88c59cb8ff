import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { WorldAddresses } from './addresses.ts';

/**
 * Changes whenever the same seed makes up another world: a folder that went on with it would take every post of before for
 * deleted.
 */
export const WORLD_VERSION = 2;

export interface EmbeddedWorldOptions {
  readonly seed: number;
  readonly accounts: number;
  /** How many times faster than the calendar its time passes from `startAt` on. */
  readonly speed: number;
  /** UTC ms. */
  readonly startAt: number;
}

interface EmbeddedWorld {
  readonly addresses: WorldAddresses;
  close(): Promise<void>;
}

/** More than the world needs at its busiest; the default would let garbage pile up. */
const MAX_HEAP_MB = 64;
const MAX_HEAP_MB_PER_ACCOUNT = 0.6;

/**
 * Runs a world inside this process but on a thread of its own: generating a hundred days of posts and
 * answering long lists must not delay the thread that serves readers.
 */
export async function openEmbeddedWorld(options: EmbeddedWorldOptions): Promise<EmbeddedWorld> {
  const thread = new Worker(new URL('./embedded-thread.js', import.meta.url), {
    workerData: options,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MB + Math.ceil(MAX_HEAP_MB_PER_ACCOUNT * options.accounts),
      maxYoungGenerationSizeMb: 4,
    },
  });
  // `once` rejects when the thread fails instead; the thread sends nothing else.
  const [addresses] = await once(thread, 'message');
  return {
    addresses,
    async close() {
      await thread.terminate();
    },
  };
}
