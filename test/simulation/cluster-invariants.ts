/** What must always hold in a cluster. The numbers are those under which they are reported. */
export const CLUSTER_INVARIANTS = {
  1: 'the real counter is the number of the posts that were delivered',
  4: 'the log gives the stored bytes again, on each engine',
  5: 'nothing that was acknowledged is lost over a fail-over',
  7: 'a frame has the same content for every reader at every process, and on every disk',
  8: 'a reader that hops gets every frame once and in order',
  18: 'once faults are over, one engine leads, the other follows, and both edges are fresh',
  19: 'only the engine that the lease names asks the outside world',
  20: 'a term has one writer, and no earlier one writes after it',
  21: 'all engines have one log, which is that on the bus',
  22: 'an engine whose term is over ends, and says so by its exit code',
  23: 'two edges that know the same answer alike',
  24: 'no caller gets more than the limit of an hour over all processes',
  25: 'the log is silent for seconds at most when the leader is gone',
  26: 'every request is answered, or refused for a reason that its caller is told',
} as const;

export type ClusterInvariant = keyof typeof CLUSTER_INVARIANTS;

export interface ClusterViolation {
  /** Virtual ms. */
  readonly at: number;
  readonly invariant: ClusterInvariant;
  readonly message: string;
}

/** Counts how often each invariant was checked, and remembers how it was broken. */
export interface ClusterViolations {
  readonly found: readonly ClusterViolation[];
  readonly checked: ReadonlyMap<ClusterInvariant, number>;
  /** `message` is called only where the invariant does not hold. */
  check(invariant: ClusterInvariant, holds: boolean, message: () => string): void;
}

/** Further ones say nothing new. */
const MOST_KEPT = 20;
const LONGEST = 1_000;

export function createClusterViolations(now: () => number): ClusterViolations {
  const found: ClusterViolation[] = [];
  const checked = new Map<ClusterInvariant, number>();
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
