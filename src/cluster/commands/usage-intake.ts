import { engineUnavailable } from '../../access/engine-unavailable.ts';
import type { UsageTracking } from '../../access/usage/tracking.ts';
import type { UsageMarks } from '../access/shared-access.ts';
import type { Answered, Asked } from './messages.ts';

interface UsageIntakeDeps {
  readonly tracking: Pick<UsageTracking, 'add' | 'flush'>;
  readonly marks: UsageMarks;
  /** Notes when a key was last used, UTC ms. */
  readonly used: (keyId: string, at: number) => void;
  /** UTC ms. */
  readonly now: () => number;
}

/** Counts batches of edges, each once, and answers when they are stored. */
export function createUsageIntake({
  tracking,
  marks,
  used,
  now,
}: UsageIntakeDeps): (asked: Asked<'usage'>) => Promise<Answered<'usage'>> {
  return async ({ edge, n, sums, errors }) => {
    if (marks.stored(edge) >= n) return {};
    if (marks.counted(edge) < n) {
      tracking.add({ sums, errors });
      marks.count(edge, n, now());
      for (const { keyId, at } of sums) if (keyId !== null) used(keyId, at);
    }
    await tracking.flush();
    // A flush that failed is tried again with the next batch, or with this one.
    if (marks.stored(edge) < n) throw engineUnavailable();
    return {};
  };
}
