import type { CallCount } from '../../store/store.ts';
import { add, advance, charge, type Hour, KEPT_MINUTES, minutesOf, refund } from './sliding-hour.ts';

/** Changes since the last ones. A caller in `gone` may be in `hours` as well: it was forgotten and came back. */
interface QuotaChanges {
  readonly hours: readonly CallCount[];
  readonly gone: readonly string[];
}

/**
 * Counts the calls of all callers. Synchronous and cheap: every counted request calls it. Minutes are since
 * 1970 and must not go back from call to call.
 */
export interface Quotas {
  ofKey(id: string): Hour;
  /** Past a maximum number of addresses, all further ones share one hour. */
  ofAddress(address: string, minute: number): Hour;
  /** Counts a call, or returns false when the limit is reached. */
  charge(hour: Hour, minute: number, limit: number): boolean;
  /** Takes back a call counted in `minute`. */
  refund(hour: Hour, minute: number): void;
  /** Restores what was stored. Minutes in the future count as this one: the system clock was set back. */
  restore(hours: Iterable<CallCount>, minute: number): void;
  /** The changes to store. Forgets addresses that have been silent for an hour. */
  changes(minute: number): QuotaChanges;
  /** Takes back changes that could not be stored. */
  keepDirty(changes: QuotaChanges): void;
  /** How many addresses are counted on their own right now. */
  readonly addresses: number;
}

/** Some 40 MB when a flood of addresses fills it. */
const MAX_ADDRESSES = 200_000;
const HOURS_PER_CHUNK = 4_096;
const OVERFLOW = 'others';

export function createQuotas(maxAddresses = MAX_ADDRESSES): Quotas {
  const keys = new Map<string, Hour>();
  // Sorted by the minute of their last call, so that the first one has been silent the longest.
  const addresses = new Map<string, Hour>();
  const takeHour = createHours();
  const overflow = takeHour(`a:${OVERFLOW}`);
  const spare: Hour[] = [];
  let dirty: Hour[] = [];
  let gone: string[] = [];

  function touch(hour: Hour): void {
    if (hour.isDirty) return;
    hour.isDirty = true;
    dirty.push(hour);
  }

  function forgetSilent(minute: number, most: number): void {
    let left = most;
    for (const [address, hour] of addresses) {
      if (left === 0 || hour.minute > minute - KEPT_MINUTES) return;
      left -= 1;
      addresses.delete(address);
      gone.push(hour.id);
      // An hour that is still to be stored must keep its id until then.
      if (!hour.isDirty) spare.push(hour);
    }
  }

  function newAddress(address: string, minute: number): Hour {
    if (addresses.size >= maxAddresses) forgetSilent(minute, 1);
    if (addresses.size >= maxAddresses) return overflow;
    const hour = spare.pop() ?? takeHour('');
    hour.id = `a:${address}`;
    addresses.set(address, hour);
    return hour;
  }

  function ofKey(id: string): Hour {
    let hour = keys.get(id);
    if (hour === undefined) {
      hour = takeHour(`k:${id}`);
      keys.set(id, hour);
    }
    return hour;
  }

  function ofAddress(address: string, minute: number): Hour {
    const hour = addresses.get(address) ?? newAddress(address, minute);
    if (hour !== overflow && hour.minute !== minute) {
      addresses.delete(address);
      addresses.set(address, hour);
    }
    return hour;
  }

  function hourOf(caller: string, minute: number): Hour {
    if (caller === overflow.id) return overflow;
    const name = caller.slice(2);
    return caller.startsWith('k:') ? ofKey(name) : ofAddress(name, minute);
  }

  function restoreOne({ caller, minutes }: CallCount, minute: number): boolean {
    const live = minutes.filter(([each]) => each > minute - KEPT_MINUTES);
    if (live.length === 0) return false;
    const hour = hourOf(caller, minute);
    advance(hour, minute);
    for (const [each, calls] of live) add(hour, Math.min(each, minute), calls);
    return hour.id === caller;
  }

  return {
    ofKey,
    ofAddress,
    get addresses() {
      return addresses.size;
    },
    charge(hour, minute, limit) {
      if (!charge(hour, minute, limit)) return false;
      touch(hour);
      return true;
    },
    refund(hour, minute) {
      refund(hour, minute);
      touch(hour);
    },
    restore(hours, minute) {
      for (const hour of hours) if (!restoreOne(hour, minute)) gone.push(hour.caller);
    },
    changes(minute) {
      forgetSilent(minute, Number.POSITIVE_INFINITY);
      const hours = dirty.map((hour) => ({ caller: hour.id, minutes: minutesOf(hour) }));
      const changes = { hours, gone };
      for (const hour of dirty) hour.isDirty = false;
      dirty = [];
      gone = [];
      return changes;
    },
    keepDirty(changes) {
      gone = [...changes.gone, ...gone];
      for (const { caller } of changes.hours) {
        const hour =
          caller === overflow.id ? overflow : (keys.get(caller.slice(2)) ?? addresses.get(caller.slice(2)));
        if (hour?.id === caller) touch(hour);
      }
    },
  };
}

/** Hours share a few large arrays: an array of its own would cost an hour several times its content. */
function createHours(): (id: string) => Hour {
  let counts = new Uint32Array(0);
  let base = 0;
  return (id) => {
    if (base >= counts.length) {
      counts = new Uint32Array(HOURS_PER_CHUNK * KEPT_MINUTES);
      base = 0;
    }
    const hour = { id, counts, base, minute: 0, used: 0, oldest: 0, isDirty: false };
    base += KEPT_MINUTES;
    return hour;
  };
}
