import type { Violation, Violations } from './violations.ts';

/** What must always hold in a cluster. The numbers are those under which they are reported. */
export const CLUSTER_INVARIANTS = {
  1: 'the real counter is the number of the posts that were delivered',
  4: 'the log gives the stored bytes again, on each engine',
  5: 'nothing that was acknowledged is lost over a fail-over',
  7: 'a frame has the same content for every reader at every process, and on every disk',
  8: 'a reader that hops gets every frame once and in order',
  16: 'a purchase is paid once, and what is paid is answered',
  18: 'once faults are over, one engine leads, the other follows, and both edges are fresh',
  19: 'only the engine that the lease names asks the outside world',
  20: 'a term has one writer, and no earlier one writes after it',
  21: 'all engines have one log, which is that on the bus',
  22: 'an engine whose term is over ends, and says so by its exit code',
  23: 'two edges that know the same answer alike',
  24: 'no caller gets more than the limit of an hour over all processes',
  25: 'the log is silent for seconds at most when the leader is gone',
  26: 'every request is answered, or refused for a reason that its caller is told',
  27: 'a key works everywhere a second after it was made, and nowhere a second after it was revoked',
} as const;

export type ClusterInvariant = keyof typeof CLUSTER_INVARIANTS;
export type ClusterViolation = Violation<ClusterInvariant>;
export type ClusterViolations = Violations<ClusterInvariant>;
