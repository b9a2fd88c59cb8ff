import type { Lease, Leases } from './bus.ts';
import { closedError, isUnreachable } from './bus-error.ts';
import {
  afterLook,
  decodeLease,
  encodeLease,
  isHeldAt,
  mayTakeOver,
  RENEW_EVERY_MS,
  untilNextLook,
  type Watch,
} from './lease-rules.ts';
import { checkName } from './names.ts';
import type { Time } from './time.ts';
import type { Values } from './values.ts';

const RETRY_MS = 50;
/** A release that does not succeed within this time is left to the standby's clock. */
const RELEASE_WITHIN_MS = 1_000;

interface LeasesOptions {
  readonly values: Values;
  /** Rejects when the bus was made anew since it was joined, and while it is. */
  readonly checkEpoch: () => Promise<void>;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

const leaseKey = (shard: string) => `lease.${checkName(shard)}`;

/** What was won: the term, the revision of the record, and when the write that won it was sent. */
interface Won {
  readonly shard: string;
  readonly owner: string;
  readonly term: number;
  readonly revision: number;
  readonly sentAt: number;
}

export function createLeases(options: LeasesOptions): Leases {
  const { values, checkEpoch, time, report } = options;

  const campaign = async (shard: string, owner: string, signal: AbortSignal): Promise<Won> => {
    const key = leaseKey(shard);
    const probe = `probe.${shard}`;
    let watch: Watch | undefined;
    /** The last attempt to take over, whose outcome may not be known. */
    let attempt = { term: 0, sentAt: 0 };
    while (!signal.aborted) {
      try {
        await values.touch(probe);
        const lookedAt = time.mono();
        const there = await values.get(key);
        const lease = there && decodeLease(there.bytes);
        if (there !== undefined && lease?.owner === owner && lease.term === attempt.term) {
          return { shard, owner, ...attempt, revision: there.revision };
        }
        watch = afterLook(watch, time.mono(), there?.revision ?? 0);
        if (mayTakeOver(watch, lease)) {
          // On a bus that was made anew there is no lease, and the terms of this epoch were others'.
          await checkEpoch();
          // An earlier attempt may arrive only now, and after this look, so from here on others may count.
          attempt = { term: (lease?.term ?? 0) + 1, sentAt: lookedAt };
          const record = encodeLease({ owner, term: attempt.term, beat: 0 });
          const revision = await values.replace(key, record, watch.revision);
          if (revision !== undefined) return { shard, owner, ...attempt, revision };
        }
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        watch = undefined;
        report(error);
      }
      await time.pause(untilNextLook(watch, time.mono()), signal);
    }
    throw closedError();
  };

  return {
    async campaign(shard, owner, signal) {
      const either = AbortSignal.any([signal, options.signal]);
      return keep(options, await campaign(shard, owner, either));
    },
    async current(shard) {
      const there = await values.retry(() => values.get(leaseKey(shard)));
      if (there === undefined) return undefined;
      const { owner, term } = decodeLease(there.bytes);
      return { owner, term };
    },
  };
}

/** Renews a lease until it is lost or released. */
function keep({ values, time, signal, report }: LeasesOptions, won: Won): Lease {
  const { owner, term } = won;
  const key = leaseKey(won.shard);
  const releasing = new AbortController();
  const ending = AbortSignal.any([releasing.signal, signal]);
  let { revision, sentAt: renewalSentAt } = won;
  let isOver = false;
  let beat = 0;

  /** Whether it still is ours. Repeats a renewal with the same record until its outcome is known. */
  const renew = async (): Promise<boolean> => {
    beat += 1;
    const record = encodeLease({ owner, term, beat });
    // That of the first attempt: it may be the one that was stored, and a standby counts from there.
    const sentAt = time.mono();
    while (!ending.aborted) {
      try {
        const renewed = await values.replace(key, record, revision);
        if (renewed === undefined) return false;
        revision = renewed;
        renewalSentAt = sentAt;
        return true;
      } catch (error) {
        if (ending.aborted) break;
        if (!isUnreachable(error)) throw error;
        report(error);
        await time.pause(RETRY_MS, ending);
      }
    }
    return true;
  };

  const run = async (): Promise<void> => {
    try {
      do {
        const sinceMs = time.mono() - renewalSentAt;
        await time.pause(Math.max(0, RENEW_EVERY_MS - sinceMs), ending);
      } while (!ending.aborted && (await renew()));
    } finally {
      isOver = true;
    }
  };

  const lost = run();
  return {
    term,
    isHeld: () => !isOver && isHeldAt(time.mono(), renewalSentAt),
    lost,
    async release() {
      if (releasing.signal.aborted) return lost;
      releasing.abort();
      await lost;
      const until = time.mono() + RELEASE_WITHIN_MS;
      const record = encodeLease({ owner: '', term, beat: beat + 1 });
      while (!signal.aborted && time.mono() < until) {
        try {
          const there = await values.get(key);
          const isOurs = there !== undefined && decodeLease(there.bytes).term === term;
          if (isOurs) await values.replace(key, record, there.revision);
          return;
        } catch (error) {
          if (!isUnreachable(error)) throw error;
          report(error);
          await time.pause(RETRY_MS, signal);
        }
      }
    },
  };
}
