/** Index of the first time that is not before `at`. */
export function lowerBound(times: ArrayLike<number>, at: number): number {
  // Most ask for what is newer than all: the rest of a long list need not be loaded into the cache of the processor for that.
  if ((times[times.length - 1] ?? at) < at) return times.length;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // A middle index is always inside the list; the fallback only satisfies the type.
    if ((times[middle] ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function insertTime(times: number[], at: number): void {
  const last = times.at(-1);
  if (last === undefined || last <= at) times.push(at);
  else times.splice(lowerBound(times, at), 0, at);
}

/** Removes one occurrence of `at`; a time that is not there changes nothing. */
export function removeTime(times: number[], at: number): void {
  const index = lowerBound(times, at);
  if (times[index] === at) times.splice(index, 1);
}

/** How many times lie in the half-open span `[from, to)`. */
export function countBetween(times: ArrayLike<number>, from: number, to: number): number {
  return Math.max(0, lowerBound(times, to) - lowerBound(times, from));
}

export function dropBefore(times: number[], from: number): void {
  // Asked at each tick, when as a rule there is nothing to drop.
  if ((times[0] ?? from) < from) times.splice(0, lowerBound(times, from));
}
