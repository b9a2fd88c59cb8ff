/** What must always hold. The numbers are those under which they are reported. */
export const INVARIANTS = {
  1: 'the real counter is the number of the posts that were delivered',
  2: 'the real counter falls only where the log has a reason',
  3: 'no post is announced twice',
  4: 'the log gives the stored bytes again',
  5: 'nothing that was shown is lost',
  6: 'what is sent is on disk',
  7: 'a frame has the same content for every reader, whenever it is sent',
  8: 'frames are numbered without gaps, and all of a day can be read again',
  9: 'who follows the feed holds what the answers say',
  10: 'deltas are the differences of the counters beside them',
  11: 'percentiles are ordered and not below the count, probabilities add up',
  12: 'nobody is told to trade on stale input',
  13: 'nothing is shown as younger than it is',
  14: 'no event has less than no time left',
  15: 'no 3,600 s hold more calls than the limit',
  16: 'a purchase is paid once, and what is paid is answered',
  17: 'all is as documented, and shows FREE nothing of PRO',
  18: 'sources ask one thing at a time and wait as told, little waits, and all recovers',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export interface Violation<Name extends number = Invariant> {
  /** Virtual ms. */
  readonly at: number;
  readonly invariant: Name;
  readonly message: string;
}

/** Counts how often each invariant was checked, and remembers how it was broken. */
export interface Violations<Name extends number = Invariant> {
  readonly found: readonly Violation<Name>[];
  readonly checked: ReadonlyMap<Name, number>;
  /** `message` is called only where the invariant does not hold. */
  check(invariant: Name, holds: boolean, message: () => string): void;
}

/** Further ones say nothing new. */
const MOST_KEPT = 20;
const LONGEST = 1_000;

export function createViolations<Name extends number = Invariant>(now: () => number): Violations<Name> {
  const found: Violation<Name>[] = [];
  const checked = new Map<Name, number>();
  return {
    found,
    checked,
    check(invariant, holds, message) {
      checked.set(invariant, (checked.get(invariant) ?? 0) + 1);
      if (!holds && found.length < MOST_KEPT)
        found.push({ at: now(), invariant, message: message().slice(0, LONGEST) });
    },
  };
}
