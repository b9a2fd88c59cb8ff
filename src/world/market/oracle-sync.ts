import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { type Overrides, steeringOf } from '../control/overrides.ts';
import type { Account, WorldAccountId } from '../life/accounts.ts';
import { unit } from '../rng.ts';

const PERIOD_MS = 5 * MINUTE_MS;
const LATEST_MS = 60_000;
/** A stall begins and ends within one of these spans of a day, which accounts share out among them. */
const STALL_SPAN_MS = 2 * HOUR_MS;
const LONGEST_STALL_MS = 40 * MINUTE_MS;

/**
 * When the oracle looks at an account: each five minutes and 28 to 60 s, unless its job stalls. It looks at every other
 * account two and a half minutes later, and does not stall for both at once.
 */
export interface OracleSync {
  /** The first sync at or after `at`; Infinity while a stall has no end yet. */
  nextAt(account: WorldAccountId, at: number): number;
  lastAt(account: WorldAccountId, at: number): number;
}

export function createOracleSync(options: {
  readonly seed: number;
  readonly startAt: number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
}): OracleSync {
  const { seed, startAt, accounts, overrides } = options;
  const places = new Map(accounts.map(({ id, index }) => [id, index]));

  /** 0 or 1. */
  const halfOf = (account: WorldAccountId): number => (places.get(account) ?? 0) % 2;
  const phaseOf = (account: WorldAccountId): number => halfOf(account) * (PERIOD_MS / 2);

  function regularAt(account: WorldAccountId, index: number): number {
    const jitterMs = Math.floor(unit(seed, 'sync', account, index) * 32_000);
    return index * PERIOD_MS + phaseOf(account) + 28_000 + jitterMs;
  }

  /** About one day in three has a stall of 20 to 40 minutes; none falls near the world's start. */
  function naturalStall(account: WorldAccountId, day: number): readonly [number, number] | undefined {
    if (unit(seed, 'stall', account, day) >= 0.3) return undefined;
    const span = 2 * Math.floor((unit(seed, 'stall span', account, day) * DAY_MS) / (2 * STALL_SPAN_MS));
    const within = unit(seed, 'stall from', account, day) * (STALL_SPAN_MS - LONGEST_STALL_MS);
    const fromAt = day * DAY_MS + (span + halfOf(account)) * STALL_SPAN_MS + Math.floor(within);
    const untilAt =
      fromAt + Math.floor((0.5 + 0.5 * unit(seed, 'stall length', account, day)) * LONGEST_STALL_MS);
    const isNearStart = untilAt > startAt - HOUR_MS && fromAt < startAt + HOUR_MS;
    return isNearStart ? undefined : [fromAt, untilAt];
  }

  /** When the sync due at `at` may run: the end of a stall, or `at` itself. */
  function heldUntil(account: WorldAccountId, at: number): number {
    const stall = naturalStall(account, Math.floor(at / DAY_MS));
    let until = stall !== undefined && stall[0] <= at && at < stall[1] ? stall[1] : at;
    for (const { fromAt, untilAt } of steeringOf(overrides, account).stalls) {
      if (fromAt <= at && at < untilAt) until = Math.max(until, untilAt);
    }
    return until;
  }

  /** A sync that is due before `at`, or at it. */
  function indexBefore(account: WorldAccountId, at: number): number {
    return Math.floor((at - phaseOf(account) - LATEST_MS) / PERIOD_MS);
  }

  function nextRegular(account: WorldAccountId, at: number): number {
    let index = indexBefore(account, at);
    for (;;) {
      const due = regularAt(account, index);
      if (due >= at) {
        const until = heldUntil(account, due);
        if (until === due || until === Number.POSITIVE_INFINITY) return until;
        index = Math.max(index, indexBefore(account, until));
        if (regularAt(account, index) >= until) continue;
      }
      index++;
    }
  }

  function lastRegular(account: WorldAccountId, at: number): number {
    let index = Math.floor((at - phaseOf(account)) / PERIOD_MS);
    for (;;) {
      const due = regularAt(account, index);
      if (due <= at && heldUntil(account, due) === due) return due;
      index--;
    }
  }

  return {
    nextAt(account, at) {
      const byHand = steeringOf(overrides, account).syncs.filter((sync) => sync >= at);
      return Math.min(nextRegular(account, at), ...byHand);
    },
    lastAt(account, at) {
      const byHand = steeringOf(overrides, account).syncs.filter((sync) => sync <= at);
      return Math.max(lastRegular(account, at), ...byHand);
    },
  };
}
