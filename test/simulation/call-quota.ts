import type { Answer } from './askers.ts';
import type { Violations } from './violations.ts';

interface CallQuota {
  onAnswer(answer: Pick<Answer, 'tier' | 'status' | 'askedAt' | 'answeredAt'>): void;
  /** Told that the disk has kept something. */
  onKept(): void;
  /** Told that the engine was killed. */
  onKill(): void;
}

interface Call {
  readonly askedAt: number;
  readonly answeredAt: number;
}

const HOUR_MS = 3_600_000;
const FREE_LIMIT = 100;
/** Calls of so long before a kill may be forgotten, beside the time that writes take. */
const FORGOTTEN_MS = 1_000;
/** Gaps between two writes are remembered for so long. */
const GAPS_MS = 60_000;
/** Answers that do not count: unchanged, refused, or a failure of the service. */
const FREE_STATUSES: ReadonlySet<number> = new Set([304, 401, 429]);

/** No 3,600 s hold more calls of a caller than the limit, and a kill forgets those of a second at most. */
export function createCallQuota({
  now,
  violations: { check },
}: {
  readonly now: () => number;
  readonly violations: Pick<Violations, 'check'>;
}): CallQuota {
  let calls: Call[] = [];
  let keptAt = 0;
  let gaps: { readonly at: number; readonly ms: number }[] = [];

  function longestGap(): number {
    const from = now() - GAPS_MS;
    gaps = gaps.filter(({ at }) => at > from);
    return Math.max(now() - keptAt, ...gaps.map(({ ms }) => ms));
  }

  return {
    onAnswer({ tier, status, askedAt, answeredAt }) {
      if (tier !== 'FREE' || FREE_STATUSES.has(status) || status >= 500) return;
      // It was counted at some instant between the two.
      calls = calls.filter((call) => answeredAt - call.askedAt < HOUR_MS);
      calls.push({ askedAt, answeredAt });
      check(15, calls.length <= FREE_LIMIT, () => `${calls.length} calls were let in within 3,600 s`);
    },
    onKept() {
      if (now() - keptAt > FORGOTTEN_MS) gaps.push({ at: now(), ms: now() - keptAt });
      keptAt = now();
    },
    onKill() {
      // A write waits for the one before it, and takes as long again itself.
      const from = now() - FORGOTTEN_MS - 2 * longestGap();
      calls = calls.filter(({ answeredAt }) => answeredAt < from);
    },
  };
}
