import * as z from 'zod';

/** The leader renews its lease this often. */
export const RENEW_EVERY_MS = 500;
/** So long after a renewal was sent, its leader counts as such; then it asks the outside world nothing. */
const HELD_FOR_MS = 1_500;
/**
 * A standby takes over after this long without a renewal. Its clock starts later than the leader's and runs longer. After an
 * outage of the servers the leader has to renew within this time, and may first have to give up an attempt from before.
 */
const TAKE_OVER_AFTER_MS = 2_000;
/** A standby looks at least this often. */
const LOOK_EVERY_MS = 250;
/** Two looks further apart prove nothing of the time between them: the standby itself was frozen or cut off. */
const LONGEST_GAP_MS = 1_000;

const leaseSchema = z.object({
  /** Empty: released. */
  owner: z.string(),
  term: z.int().min(1),
  /** Counts the renewals, so that each one is another value. */
  beat: z.int().min(0),
});

/** What is stored of a lease. */
type LeaseRecord = Readonly<z.infer<typeof leaseSchema>>;

export function encodeLease(record: LeaseRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

export function decodeLease(bytes: Uint8Array): LeaseRecord {
  return leaseSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
}

/** Whether a leader may go on as such. Both times are ms of its own monotonic clock. */
export function isHeldAt(now: number, renewalSentAt: number): boolean {
  return now - renewalSentAt <= HELD_FOR_MS;
}

/** What a standby knows of the leader. Times are ms of its own monotonic clock. */
export interface Watch {
  /** The revision of the lease that it saw last; 0 before the first one. */
  readonly revision: number;
  /** When it first saw that revision, or when it began to look without a break, whichever is later. */
  readonly silentSince: number;
  readonly lookedAt: number;
}

/**
 * A look at the lease that succeeded, after a write of its own that did. Without that write the standby would take an
 * outage, in which the leader cannot renew its lease either, for the end of the leader.
 */
export function afterLook(watch: Watch | undefined, now: number, revision: number): Watch {
  const isUnbroken =
    watch !== undefined && watch.revision === revision && now - watch.lookedAt <= LONGEST_GAP_MS;
  return { revision, silentSince: isUnbroken ? watch.silentSince : now, lookedAt: now };
}

export function mayTakeOver(watch: Watch, lease: LeaseRecord | undefined): boolean {
  if (lease === undefined || lease.owner === '') return true;
  return watch.lookedAt - watch.silentSince >= TAKE_OVER_AFTER_MS;
}

/** Ms until a standby looks again: sooner than usual if it may take over then. */
export function untilNextLook(watch: Watch | undefined, now: number): number {
  if (watch === undefined) return LOOK_EVERY_MS;
  const leftMs = watch.silentSince + TAKE_OVER_AFTER_MS - now;
  return leftMs > 0 ? Math.min(leftMs, LOOK_EVERY_MS) : LOOK_EVERY_MS;
}
