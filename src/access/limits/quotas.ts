import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { CallerCalls } from '../../store/store.ts';
import { add, advance, callsIn, charge, emptyHour, type Hour, refund } from './sliding-hour.ts';

/**
 * Counts the calls of all callers. Synchronous and cheap: every counted request calls it. Times are in whole UTC ms and
 * must not go back from call to call.
 */
export interface Quotas {
  ofKey(id: string): Hour;
  /** Past a maximum number of addresses, all further ones share one hour. */
  ofAddress(address: string, now: number): Hour;
  /** Counts a call, or returns false when the limit is reached. */
  charge(hour: Hour, now: number, limit: number): boolean;
  /** Takes back a call counted at `at`. */
  refund(hour: Hour, at: number): void;
  /** Restores what was given as changes, in that order. */
  restore(changes: Iterable<CallerCalls>, now: number): void;
  /** What was counted and taken back since the last time. Forgets addresses that have been silent for an hour. */
  changes(now: number): readonly CallerCalls[];
  /** All calls that count. */
  all(now: number): readonly CallerCalls[];
  /** How many addresses are counted on their own right now. */
  readonly addresses: number;
}

/** Some 50 MB when a flood of addresses fills it with a call each, and 250 MB when each uses up its hour. */
const MAX_ADDRESSES = 200_000;
const OVERFLOW = 'others';

/** An address and about when it last called. */
interface Entry {
  readonly hour: Hour;
  /** At most a minute before the last call, as moving an address to the end of the map costs more than a call. */
  calledAt: number;
}

type MutableCalls = [at: number, calls: number][];

export function createQuotas(maxAddresses = MAX_ADDRESSES): Quotas {
  const keys = new Map<string, Hour>();
  // Ordered by their time, so that the first one has been silent the longest.
  const addresses = new Map<string, Entry>();
  const overflow = emptyHour(`a:${OVERFLOW}`);
  let changed = new Map<Hour, MutableCalls>();

  function noteCalls(hour: Hour, at: number, calls: 1 | -1): void {
    const list = changed.get(hour);
    const last = list?.at(-1);
    if (last?.[0] === at) last[1] += calls;
    else if (list === undefined) changed.set(hour, [[at, calls]]);
    else list.push([at, calls]);
  }

  function forgetSilent(now: number, most: number): void {
    let left = most;
    for (const [address, { calledAt }] of addresses) {
      if (left === 0 || calledAt > now - HOUR_MS - MINUTE_MS) return;
      left -= 1;
      addresses.delete(address);
    }
  }

  function ofKey(id: string): Hour {
    let hour = keys.get(id);
    if (hour === undefined) {
      hour = emptyHour(`k:${id}`);
      keys.set(id, hour);
    }
    return hour;
  }

  function ofAddress(address: string, now: number): Hour {
    const known = addresses.get(address);
    if (known !== undefined) {
      if (now - known.calledAt >= MINUTE_MS) {
        known.calledAt = now;
        addresses.delete(address);
        addresses.set(address, known);
      }
      return known.hour;
    }
    if (addresses.size >= maxAddresses) forgetSilent(now, 1);
    if (addresses.size >= maxAddresses) return overflow;
    const hour = emptyHour(`a:${address}`);
    addresses.set(address, { hour, calledAt: now });
    return hour;
  }

  function hourOf(caller: string, now: number): Hour {
    if (caller === overflow.id) return overflow;
    const name = caller.slice(2);
    return caller.startsWith('k:') ? ofKey(name) : ofAddress(name, now);
  }

  function restoreCalls({ caller, calls }: CallerCalls, now: number): void {
    const live = calls.filter(([at]) => at > now - HOUR_MS);
    if (live.length === 0) return;
    const hour = hourOf(caller, now);
    for (const [at, count] of live) {
      if (count > 0) add(hour, at, count);
      else for (let each = count; each < 0; each++) refund(hour, at);
    }
  }

  return {
    ofKey,
    ofAddress,
    get addresses() {
      return addresses.size;
    },
    charge(hour, now, limit) {
      if (!charge(hour, now, limit)) return false;
      noteCalls(hour, now, 1);
      return true;
    },
    refund(hour, at) {
      refund(hour, at);
      noteCalls(hour, at, -1);
    },
    restore(changes, now) {
      for (const each of changes) restoreCalls(each, now);
    },
    changes(now) {
      forgetSilent(now, Number.POSITIVE_INFINITY);
      const taken = Array.from(changed, ([{ id }, calls]) => ({
        caller: id,
        calls: calls.filter(([, count]) => count !== 0),
      }));
      changed = new Map();
      return taken.filter(({ calls }) => calls.length > 0);
    },
    all(now) {
      const hours = [...keys.values(), ...Array.from(addresses.values(), ({ hour }) => hour), overflow];
      for (const hour of hours) advance(hour, now);
      return hours.filter(({ used }) => used > 0).map((hour) => ({ caller: hour.id, calls: callsIn(hour) }));
    },
  };
}
