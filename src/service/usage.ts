import type { KnownKeys } from '../access/keys/key-lookup.ts';
import { createUsageTracking, type UsageTracking } from '../access/usage/tracking.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { UsageStore } from '../store/store.ts';
import type { Logger } from './logger.ts';

interface UsageParts {
  readonly config: Pick<Config, 'usageRetentionDays'>;
  readonly store: UsageStore;
  readonly clock: Clock;
  readonly agreedNow: () => number | undefined;
  readonly log: Logger;
}

/** Starts to count what callers use. The caller stops it. */
export function startUsage(
  { config, store, clock, agreedNow, log }: UsageParts,
  tierOf: KnownKeys['tierOf'],
): UsageTracking {
  const usage = createUsageTracking({
    store,
    now: clock.wall,
    agreedNow,
    retentionDays: config.usageRetentionDays,
    // Only keys of this tier may ask, each for its own usage.
    isRead: (keyId) => tierOf(keyId) === 'INTERNAL',
    report: (error) => log.error({ err: error }, 'usage could not be stored, trying again'),
  });
  usage.start();
  return usage;
}
