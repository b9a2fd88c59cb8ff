import type { WorldAccountId } from '../life/accounts.ts';
import type { PostKind } from '../life/post-kind.ts';

interface ManualPost {
  readonly id: string;
  readonly account: WorldAccountId;
  readonly kind: PostKind;
  readonly createdAt: number;
  /** When it can first be read: a post dated back is not visible before it was put in. */
  readonly shownAt: number;
  readonly text: string | null;
  readonly parentId: string | null;
}

export interface ManualEvent {
  readonly id: number;
  readonly account: WorldAccountId;
  readonly slug: string | null;
  readonly title: string | null;
  readonly listedAt: number;
  readonly startAt: number;
  readonly endAt: number;
  readonly bucketWidth: number;
  readonly bucketCount: number;
}

/** A stall of the oracle's sync; `untilAt` is Infinity until it is resumed. */
interface Stall {
  readonly fromAt: number;
  untilAt: number;
}

/** A value set by hand, and the instant from which it applies. */
interface Forced<T> {
  readonly value: T;
  readonly at: number;
}

/**
 * Everything that was changed by hand: the only state of the world that is not a function of seed and time. `revision`
 * grows with every change that caches must notice.
 */
export interface Overrides {
  revision: number;
  /** Instants from which posts or syncs were changed, in the order of the changes: day caches drop what follows. */
  readonly changedFrom: number[];
  readonly posts: ManualPost[];
  readonly deletions: Map<string, number>;
  readonly edits: Map<string, { readonly id: string; readonly at: number; readonly text: string }>;
  readonly stalls: Record<WorldAccountId, Stall[]>;
  readonly syncs: Record<WorldAccountId, number[]>;
  readonly oracleTotals: Map<number, Forced<number>>;
  readonly uiCounts: Map<number, number | null>;
  readonly windows: Map<number, { readonly startAt: number; readonly endAt: number }>;
  readonly closures: Map<number, Forced<string | null>>;
  readonly reopened: Set<number>;
  readonly events: ManualEvent[];
  /** Mid price of a Yes token, 0 to 1. */
  readonly prices: Map<string, number>;
}

export function createOverrides(): Overrides {
  return {
    revision: 0,
    changedFrom: [],
    posts: [],
    deletions: new Map(),
    edits: new Map(),
    stalls: { a: [], b: [] },
    syncs: { a: [], b: [] },
    oracleTotals: new Map(),
    uiCounts: new Map(),
    windows: new Map(),
    closures: new Map(),
    reopened: new Set(),
    events: [],
    prices: new Map(),
  };
}

/** A cache by day that drops everything from the day before each change on, since syncs look back. */
export function createDayCache<T>(
  overrides: Overrides,
  dayOf: (account: WorldAccountId, at: number) => number,
): (account: WorldAccountId, day: number, build: () => T) => T {
  const caches: Record<WorldAccountId, Map<number, T>> = { a: new Map(), b: new Map() };
  let seen = 0;
  function forget(account: WorldAccountId, changedFrom: number): void {
    const first = dayOf(account, changedFrom) - 1;
    for (const day of caches[account].keys()) if (day >= first) caches[account].delete(day);
  }
  return (account, day, build) => {
    for (; seen < overrides.changedFrom.length; seen++) {
      const at = overrides.changedFrom[seen] ?? 0;
      forget('a', at);
      forget('b', at);
    }
    const value = caches[account].get(day) ?? build();
    caches[account].set(day, value);
    return value;
  };
}
