import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { Overrides } from '../control/overrides.ts';
import type { WorldAccountId } from '../life/accounts.ts';
import { unit } from '../rng.ts';

const PERIOD_MS = 5 * MINUTE_MS;

/** When the oracle looks at an account: each five minutes and 28 to 60 s, unless its job stalls. */
export interface OracleSync {
  /** The first sync at or after `at`; Infinity while a stall has no end yet. */
  nextAt(account: WorldAccountId, at: number): number;
  lastAt(account: WorldAccountId, at: number): number;
}

export function createOracleSync(options: {
  readonly seed: number;
  readonly startAt: number;
  readonly overrides: Overrides;
}): OracleSync {
  const { seed, startAt, overrides } = options;

  function regularAt(account: WorldAccountId, index: number): number {
    return index * PERIOD_MS + 28_000 + Math.floor(unit(seed, 'sync', account, index) * 32_000);
  }

  /** About one day in three has a stall of 20 to 40 minutes; none falls near the world's start. */
  function naturalStall(account: WorldAccountId, day: number): readonly [number, number] | undefined {
    if (unit(seed, 'stall', account, day) >= 0.3) return undefined;
    const fromAt = day * DAY_MS + Math.floor(unit(seed, 'stall from', account, day) * (DAY_MS - HOUR_MS));
    const untilAt = fromAt + Math.floor((20 + 20 * unit(seed, 'stall length', account, day)) * MINUTE_MS);
    const isNearStart = untilAt > startAt - HOUR_MS && fromAt < startAt + HOUR_MS;
    return isNearStart ? undefined : [fromAt, untilAt];
  }

  /** When the sync due at `at` may run: the end of a stall, or `at` itself. */
  function heldUntil(account: WorldAccountId, at: number): number {
    const stall = naturalStall(account, Math.floor(at / DAY_MS));
    let until = stall !== undefined && stall[0] <= at && at < stall[1] ? stall[1] : at;
    for (const { fromAt, untilAt } of overrides.stalls[account]) {
      if (fromAt <= at && at < untilAt) until = Math.max(until, untilAt);
    }
    return until;
  }

  function nextRegular(account: WorldAccountId, at: number): number {
    let index = Math.floor((at - 60_000) / PERIOD_MS);
    for (;;) {
      const due = regularAt(account, index);
      if (due >= at) {
        const until = heldUntil(account, due);
        if (until === due || until === Number.POSITIVE_INFINITY) return until;
        index = Math.max(index, Math.floor((until - 60_000) / PERIOD_MS));
        if (regularAt(account, index) >= until) continue;
      }
      index++;
    }
  }

  function lastRegular(account: WorldAccountId, at: number): number {
    let index = Math.floor(at / PERIOD_MS);
    for (;;) {
      const due = regularAt(account, index);
      if (due <= at && heldUntil(account, due) === due) return due;
      index--;
    }
  }

  return {
    nextAt(account, at) {
      const byHand = overrides.syncs[account].filter((sync) => sync >= at);
      return Math.min(nextRegular(account, at), ...byHand);
    },
    lastAt(account, at) {
      const byHand = overrides.syncs[account].filter((sync) => sync <= at);
      return Math.max(lastRegular(account, at), ...byHand);
    },
  };
}
