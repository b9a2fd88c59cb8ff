import { LRUCache } from 'lru-cache';
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

/** What was done by hand to the oracle's readings of an account. */
interface OracleSteering {
  readonly stalls: Stall[];
  readonly syncs: number[];
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
  readonly edits: Map<
    string,
    { readonly account: WorldAccountId; readonly id: string; readonly at: number; readonly text: string }
  >;
  /** Of posts whose kind was changed, by the id of the first version. */
  readonly kinds: Map<string, PostKind>;
  /** By account; `steeringOf` adds what is missing. */
  readonly oracle: Map<WorldAccountId, OracleSteering>;
  readonly oracleTotals: Map<number, Forced<number>>;
  readonly uiCounts: Map<number, number | null>;
  readonly windows: Map<number, { readonly startAt: number; readonly endAt: number }>;
  /** Buckets from zero, the first and all up to the open one with this width. */
  readonly buckets: Map<number, { readonly bucketWidth: number; readonly bucketCount: number }>;
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
    kinds: new Map(),
    oracle: new Map(),
    oracleTotals: new Map(),
    uiCounts: new Map(),
    windows: new Map(),
    buckets: new Map(),
    closures: new Map(),
    reopened: new Set(),
    events: [],
    prices: new Map(),
  };
}

export function steeringOf({ oracle }: Overrides, account: WorldAccountId): OracleSteering {
  let steering = oracle.get(account);
  if (steering === undefined) {
    steering = { stalls: [], syncs: [] };
    oracle.set(account, steering);
  }
  return steering;
}

interface DayCacheOptions {
  readonly overrides: Overrides;
  readonly dayOf: (account: WorldAccountId, at: number) => number;
  /** How many days of an account are kept: those looked at last. */
  readonly mostDays: number;
}

/** A cache by account and day that drops everything from the day before each change on, since syncs look back. */
export function createDayCache<T>(
  { overrides, dayOf, mostDays }: DayCacheOptions,
  build: (account: WorldAccountId, day: number) => T,
): (account: WorldAccountId, day: number) => T {
  const byAccount = new Map<WorldAccountId, LRUCache<number, { readonly value: T }>>();
  let seen = 0;
  function forget(changedFrom: number): void {
    for (const [account, days] of byAccount) {
      const first = dayOf(account, changedFrom) - 1;
      for (const day of [...days.keys()]) if (day >= first) days.delete(day);
    }
  }
  return (account, day) => {
    for (; seen < overrides.changedFrom.length; seen++) forget(overrides.changedFrom[seen] ?? 0);
    let days = byAccount.get(account);
    if (days === undefined) {
      days = new LRUCache({ max: mostDays });
      byAccount.set(account, days);
    }
    let known = days.get(day);
    if (known === undefined) {
      known = { value: build(account, day) };
      days.set(day, known);
    }
    return known.value;
  };
}
